//! The marked ones of the everyday questions (`tests/evals/everyday.toml`), through Joi and by the embedded model alone.
//! Rules judge them; `make bench-everyday` asks all.

use crate::ALONE;
use crate::support::program::{Home, NOBODY};

#[test]
fn everyday_questions_go_as_well_as_they_did_and_no_kind_worse_than_with_the_model_alone() {
    let _alone = ALONE.blocking_lock();
    let mut home = Home::with_model_server(NOBODY);
    home.set("llm.backend=local").set("llm.temperature=0").set("tools.online=false");
    // An answer that is cut there is too long already.
    home.set("llm.num_predict=120");
    let ran = home.bench_command(&["everyday", "--marked", "--check"]).output().unwrap();
    let told = [ran.stdout, ran.stderr].map(|told| String::from_utf8(told).unwrap()).concat();
    println!("{told}");
    assert!(ran.status.success(), "a goal was missed:\n{told}");
}
