use super::*;

const GB: u64 = 1_000_000_000;

fn there(name: &str, needs: u64, tokens_per_s: Option<f32>) -> ModelCandidate {
    let state = FileState::There { bytes: needs / 2, needs, sha256: name.to_owned() };
    ModelCandidate { tokens_per_s, ..with(name, state) }
}

fn with(name: &str, state: FileState) -> ModelCandidate {
    ModelCandidate {
        name: name.to_owned(),
        gguf: format!("/models/{name}.gguf").into(),
        state,
        tokens_per_s: None,
        least_memory: None,
        remedy: format!("run `joi models fetch {name}`"),
    }
}

fn free(bytes: u64) -> LocalWish<'static> {
    LocalWish { wanted: ANY, room: Some(MemoryRoom { free: bytes, total: 8 * GB }), running: None }
}

/// The name of the chosen one, and why not the better one.
fn chosen<'a>(all: &'a [ModelCandidate], wish: &LocalWish<'_>) -> (Option<&'a str>, Option<String>) {
    let choice = choose_local(all, wish);
    let better = choice.why_not_better(all).map(|better| better.to_string());
    (choice.chosen.map(|at| all[at].name.as_str()), better)
}

#[test]
fn the_best_that_is_there_fits_and_keeps_up_is_chosen() {
    let all = [there("large", 2 * GB, Some(6.0)), there("small", GB, Some(40.0))];
    assert_eq!(chosen(&all, &free(4 * GB)), (Some("large"), None));
    let unmeasured = [there("large", 2 * GB, None), there("small", GB, Some(40.0))];
    assert_eq!(chosen(&unmeasured, &free(4 * GB)), (Some("large"), None), "it is measured when it runs");
}

#[test]
fn memory_has_to_be_enough_to_the_byte() {
    let all = [there("large", 2 * GB, None), there("small", GB, None)];
    assert_eq!(chosen(&all, &free(2 * GB)).0, Some("large"));
    let (name, why) = chosen(&all, &free(2 * GB - 1));
    assert_eq!(name, Some("small"));
    let why = why.unwrap();
    assert!(
        why.starts_with("large does not fit into the free memory (it needs 2.0 GB, 1.9 GB are free): "),
        "{why}"
    );
    let unknown = LocalWish { room: None, ..free(0) };
    assert_eq!(chosen(&all, &unknown).0, Some("large"), "the system does not tell");
    let running = LocalWish { running: Some("large"), ..free(GB) };
    assert_eq!(chosen(&all, &running), (Some("large"), None), "what runs has its memory");
}

#[test]
fn six_tokens_a_second_are_enough_and_a_named_model_may_be_slower() {
    let all = |speed| [there("large", 2 * GB, Some(speed)), there("small", GB, Some(1.0))];
    assert_eq!(chosen(&all(6.0), &free(4 * GB)).0, Some("large"));
    let slow = all(5.99);
    let (name, why) = chosen(&slow, &free(4 * GB));
    assert_eq!(name, Some("small"), "none keeps up, so the smallest does what it can");
    assert_eq!(
        why.as_deref(),
        Some(
            "large is too slow here (5.9 tokens/s, 6 are needed): `joi models measure large` measures again, \
             `llm.local = \"large\"` takes it all the same"
        )
    );
    let named = LocalWish { wanted: "large", ..free(4 * GB) };
    assert_eq!(chosen(&all(0.5), &named), (Some("large"), None));
    let named = LocalWish { wanted: "small", ..free(4 * GB) };
    assert_eq!(chosen(&all(9.0), &named), (Some("small"), None), "the owner wants no better one");
}

#[test]
fn what_cannot_be_run_is_passed_over_with_its_remedy() {
    let small = || there("small", GB, None);
    let why = "it is so".to_owned();
    let told = [
        (FileState::Missing, "large is not there: run `joi models fetch large`"),
        (
            FileState::Damaged { why: why.clone() },
            "large is damaged (it is so): run `joi models fetch large`",
        ),
        (
            FileState::Unfit { why: why.clone() },
            "large is no chat model (it is so): take the file of an instruct model",
        ),
        (
            FileState::Fails { why: why.clone() },
            "large can't be run (it is so): run `joi models fetch large`",
        ),
        (
            FileState::TooLarge { why },
            "large does not fit into the free memory (it is so): end other programs, or lower llm.num_ctx",
        ),
    ];
    for (state, told) in told {
        let all = [with("large", state), small()];
        assert_eq!(chosen(&all, &free(4 * GB)), (Some("small"), Some(told.to_owned())));
        let named = LocalWish { wanted: "large", ..free(4 * GB) };
        assert_eq!(chosen(&all, &named), (Some("small"), Some(told.to_owned())));
    }
    let misspelt = LocalWish { wanted: "lagre", ..free(4 * GB) };
    let unknown = "llm.local names no model of the list, lagre: `joi models` shows them";
    assert_eq!(chosen(&[small()], &misspelt), (Some("small"), Some(unknown.to_owned())));
}

#[test]
fn a_machine_that_is_too_small_gets_no_remedy_to_fetch() {
    let missing = ModelCandidate { least_memory: Some(4 * GB), ..with("large", FileState::Missing) };
    let all = [missing, there("small", GB, None)];
    let on = |total| LocalWish { room: Some(MemoryRoom { free: 2 * GB, total }), ..free(0) };
    let (_, why) = chosen(&all, &on(4 * GB));
    assert_eq!(why.as_deref(), Some("large is not there: run `joi models fetch large`"));
    let (name, why) = chosen(&all, &on(4 * GB - 1));
    assert_eq!(name, Some("small"));
    assert!(
        why.unwrap()
            .starts_with("large is too big for this machine (it has 3.9 GB of memory, 4.0 GB are needed)")
    );
}

#[test]
fn where_none_is_good_enough_the_smallest_is_tried() {
    let all = [there("large", 3 * GB, None), there("middle", 2 * GB, Some(3.0)), there("small", GB, None)];
    let (name, why) = chosen(&all, &free(GB / 2));
    assert_eq!(name, Some("small"));
    assert!(why.unwrap().starts_with("large does not fit"));
    let alone = [there("only", GB, Some(2.0))];
    assert_eq!(chosen(&alone, &free(4 * GB)), (Some("only"), None), "there is nothing better");
    let none = [with("large", FileState::Missing), with("small", FileState::Damaged { why: "w".into() })];
    let choice = choose_local(&none, &free(4 * GB));
    assert_eq!((choice.chosen, choice.passed_over.len()), (None, 2));
    let told = choice.nobody(&none).to_string();
    assert_eq!(told, "no model is available: small is damaged (w); run `joi models fetch small`");
    assert_eq!(choose_local(&[], &free(GB)).chosen, None);
}
