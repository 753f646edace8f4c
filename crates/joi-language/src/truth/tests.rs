use super::*;
use crate::tools::OneTool;

const TRUTH: &str = include_str!("../../../../assets/language/en/truth.toml");
const COMMANDS: &str = include_str!("../../../../assets/language/en/commands.toml");

fn read(truth: &str) -> Result<TruthWords, String> {
    TruthWords::of(TruthFile::read(truth)?, &file::devices(COMMANDS)?)
}

#[test]
fn a_tool_supports_the_families_that_it_claims_and_no_unknown_one() {
    let claims = |family: &str| -> Result<TruthWords, String> {
        let tool = OneTool { claims: BTreeSet::from([family.to_owned()]), ..OneTool::default() };
        let mut file = TruthFile::read(TRUTH).unwrap();
        file.add_tools(&BTreeMap::from([("calendar".to_owned(), tool)]))?;
        TruthWords::of(file, &[])
    };
    let words = claims("plans").unwrap();
    let plans = words.families.iter().find(|family| family.name == "plans").unwrap();
    assert_eq!(plans.tools, BTreeSet::from(["calendar".to_owned()]));
    assert!(claims("plots").err().unwrap().starts_with("tool.calendar.claims is \"plots\""));
}

#[test]
fn a_faulty_pattern_is_an_error_that_names_its_key() {
    assert!(read(TRUTH).is_ok());
    for (key, from, to) in [
        ("turn.howto", "howto = \"", "howto = \"("),
        ("families.list", "words = [\"lists?\"", "words = [\"(lists?\""),
        ("claims.deeds", "deeds = [\"remove\"]", "deeds = [\"forgive\"]"),
        ("deeds.verbs", "\"add added adding\"", "\"add\""),
    ] {
        let error = read(&TRUTH.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with(key), "{error}");
    }
}

#[test]
fn a_verb_means_what_its_particle_says() {
    let words = read(TRUTH).unwrap();
    let deed = |verb: &str, rest: &str| {
        let rest: Vec<String> = rest.split(' ').map(str::to_owned).collect();
        words.done.deeds(verb, &rest).first().map(|at| words.deeds[*at].supports.clone())
    };
    let supports =
        |verb: &str, rest: &str, name: &str| deed(verb, rest).is_some_and(|names| names.contains(name));
    assert!(supports("put", "milk on the list", "lists add"));
    assert!(supports("put", "it off until nine", "timers change"));
    assert!(supports("taken", "the eggs off", "lists remove"));
    assert_eq!(deed("put", "together three ideas"), None);
    assert_eq!(deed("crossed", "the street by"), deed("crossed", "it off"));
}
