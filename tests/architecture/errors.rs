//! What the owner is told: remedies never cost what an error left whole, faults have their tests, models their order, and
//! what is spoken is data of the languages.

use std::fs;

use super::super::{code, inside, product_files, root, rust_files, short, source_files, text};

/// What destroys. "Can't be removed" tells of an error; "or remove it" would be a remedy.
const DESTROYS: [&str; 9] =
    ["delete", "remove", "erase", "wipe", "purge", "rm", "reset", "overwrite", "clear"];

/// Signs and words behind which somebody is told what to do.
const TOLD: [&str; 10] = ["", ".", ";", ":", ",", "or", "and", "then", "please", "must"];

/// Where `text` tells to destroy something.
fn destroys(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    (0..words.len()).any(|at| {
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let is_told = TOLD.iter().any(|told| {
            if told.len() > 1 || told.is_empty() { before == *told } else { before.ends_with(told) }
        });
        let word = words[at].trim_matches(|c: char| !c.is_alphanumeric());
        is_told && DESTROYS.contains(&word)
    })
}

#[test]
fn no_remedy_destroys() {
    let told =
        ["delete it", "Move it away, or remove it.", "the file is broken; erase it", "Please wipe the disk."];
    assert!(told.iter().all(|text| destroys(text)), "the words are not seen");
    let harmless =
        ["it can't be removed: no rights", "the copy can't be written or removed: full", "a reset button"];
    assert!(!harmless.iter().any(|text| destroys(text)));
    let (mut seen, mut bad) = (0, Vec::new());
    for path in source_files() {
        let code = code(&path);
        for (before, text) in literals(&code) {
            let is_error = ["#[error(", "remedy", "Problem::", "bail!(", ".context(", ".hint("]
                .iter()
                .any(|sign| before.contains(sign));
            if !is_error {
                continue;
            }
            seen += 1;
            if destroys(text) {
                bad.push(format!("{}: \"{text}\"", short(&path)));
            }
        }
    }
    assert!(seen > 300, "only {seen} texts of errors were found");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// How a cell begins that tells when something works again.
const AGAIN: [&str; 4] = ["at once", "within ", "at the next ", "needs a hand: "];

/// What is wrong with a row of the table of faults: a cell that tells nothing, or no time.
fn gaps(row: &str) -> Option<&'static str> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [_, _, _, again, shown] = cells[..] else { return Some("not five cells") };
    let tells_nothing = |cell: &&str| ["", "–", "-", "by itself", "?"].contains(cell);
    let is_time = AGAIN.iter().any(|start| again.starts_with(start))
        || (again.starts_with(|first: char| first.is_ascii_digit()) && again.contains(" s later"));
    if cells.iter().any(tells_nothing) {
        return Some("a cell tells nothing");
    }
    if !is_time {
        return Some("it does not tell when it works again");
    }
    (!shown.starts_with('`') || !shown.ends_with('`')).then_some("no test shows it")
}

// The table of faults
#[test]
fn every_fault_of_the_table_has_a_test_that_shows_it() {
    let table = text(&root().join("docs/dev/faults.md"));
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Fault |"));
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() >= 90, "only {} faults", rows.len());
    let open: Vec<_> = rows.iter().filter_map(|row| gaps(row).map(|gap| format!("{gap}: {row}"))).collect();
    assert!(open.is_empty(), "{}", open.join("\n"));
    let shown = rows.iter().filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let named: Vec<&str> =
        shown.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|name| !name.is_empty()).collect();
    let sources = ["src", "tests", "crates"].map(|folder| rust_files(&root().join(folder)));
    let all: String = sources.iter().flatten().map(|path| text(path)).collect();
    let missing: Vec<_> = named.iter().filter(|name| !all.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_row_that_leaves_something_open_is_seen() {
    let row = |again: &str| gaps(&format!("| a fault | it stops | nothing | {again} | `a_test` |"));
    for told in ["at once", "within 5 s of its return", "0.5 s later", "needs a hand: mend it"] {
        assert_eq!(row(told), None, "{told}");
    }
    for open in ["", "–", "by itself", "later", "when it is back"] {
        assert!(row(open).is_some(), "{open}");
    }
    assert!(gaps("| a fault | it stops | at once | `a_test` |").is_some());
    assert!(gaps("| a fault | | nothing | at once | `a_test` |").is_some());
    assert!(gaps("| a fault | it stops | nothing | at once | nobody |").is_some());
}

#[test]
fn every_target_that_documents_name_is_in_the_makefile() {
    let makefile = text(&root().join("Makefile"));
    let targets: Vec<&str> =
        makefile.lines().filter_map(|line| line.split_once(':')).map(|it| it.0).collect();
    let inside = |folder| fs::read_dir(root().join(folder)).expect(folder);
    let docs = inside("docs/user")
        .chain(inside("docs/dev"))
        .chain(inside("scripts"))
        .map(|file| file.expect("a file").path());
    let (mut seen, mut missing) = (0, Vec::new());
    for file in docs.chain(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name))) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        // In a line of code, or within a sentence.
        let named = text.lines().filter_map(|line| line.strip_prefix("make "));
        let named = named.chain(text.split("`make ").skip(1));
        // And from one script to another.
        let named = named.chain(text.split("make --no-print-directory ").skip(1));
        let ends = |sign: char| !sign.is_ascii_lowercase() && sign != '-';
        let named = named.filter_map(|rest| rest.split(ends).next());
        for target in named.filter(|target| !target.is_empty()) {
            seen += 1;
            if !targets.contains(&target) {
                missing.push(format!("{}: make {target}", short(&file)));
            }
        }
    }
    assert!(seen > 30, "only {seen} were found");
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_readme_names_the_preferred_models_in_their_order() {
    let readme = fs::read_to_string(root().join("docs/user/models.md")).expect("docs/user/models.md");
    let places: Vec<_> = joi_llm::PREFERRED.iter().map(|name| readme.find(&format!("`{name}`"))).collect();
    assert!(places.iter().all(Option::is_some), "{places:?}");
    assert!(places.is_sorted(), "{places:?}");
}

/// Text within quotes, and what stands in front of it in the same statement.
fn literals(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut quotes = code.match_indices('"').map(|(at, _)| at).filter(|at| {
        let before = &code[..*at];
        !before.ends_with('\\') && !before.ends_with('\'')
    });
    while let (Some(from), Some(to)) = (quotes.next(), quotes.next()) {
        let begin = code[..from].rfind([';', '{', '}']).map_or(0, |at| at + 1);
        found.push((&code[begin..from], &code[from + 1..to]));
    }
    found
}

#[test]
fn what_is_spoken_is_data_of_the_languages() {
    let mut spoken = Vec::new();
    for path in product_files() {
        let inside = inside(&path);
        let is_schedule =
            ["joi-schedule", "joi-language/values/words"].iter().any(|start| inside.starts_with(start));
        let rooms =
            ["joi-understand", "joi-answer", "joi-agent", "joi-hear/judge", "joi-channels", "app/awake"];
        let is_meant = is_schedule || rooms.iter().any(|start| inside.starts_with(start));
        // What is wrong with a configuration is written, not spoken.
        if !is_meant || inside.contains("tests") || inside.ends_with("config.rs") {
            continue;
        }
        for (before, text) in literals(&code(&path)) {
            let is_said = [".say(", ".say_on(", ".say_last(", ".aside(", ".saying(", ".deliver("]
                .iter()
                .any(|call| before.trim_end().trim_end_matches(['&', ' ']).ends_with(call));
            let words = text.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
            let is_sentence = words > 1 && !before.contains("tracing::") && !before.contains("#[");
            let of_herself = ["I'm ", "I can't ", "I've ", "I'll ", "I haven't ", "Sorry, ", "Shall I "];
            let is_of_herself = of_herself.iter().any(|start| text.contains(start));
            if words > 1 && (is_said || (is_schedule && is_sentence) || is_of_herself) {
                spoken.push(format!("{}: \"{text}\"", short(&path)));
            }
        }
    }
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
}

#[test]
fn tools_ask_and_answer_in_the_words_of_the_languages() {
    let src = root().join("crates/joi-tools/src");
    let mut spoken = Vec::new();
    for path in rust_files(&src) {
        let code = code(&path);
        let is_test = short(&path).contains("tests");
        let asking = code.split("fn in_words(").skip(1).filter_map(|rest| rest.split("\n    }\n").next());
        let answering = code.split(".saying(").skip(1).filter_map(|rest| rest.split(')').next());
        for place in asking.chain(answering).filter(|_| !is_test) {
            let said = literals(place).into_iter().map(|(_, text)| text).filter(|text| text.contains(' '));
            // What is put together of filled in words holds none of its own.
            let words = said.filter(|text| {
                text.replace(['{', '}'], " ").split(' ').filter(|w| !w.is_empty()).count() > 1
            });
            spoken.extend(words.map(|text| format!("{}: {text}", short(&path))));
        }
    }
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
}
