//! Children that misbehave: this very test binary, started again.

use super::*;

/// Which misbehaviour a child shows.
const VARIABLE: &str = "JOI_TEST_OF_READERS";
const LIMITS: ReaderLimits = ReaderLimits {
    memory: 1_500_000_000,
    cpu_seconds: 1,
    patience: Duration::from_secs(60),
    most: 1_000_000,
};

fn child(behaviour: &str, limits: &ReaderLimits) -> Result<Vec<u8>, String> {
    let mut reader = Command::new(std::env::current_exe().unwrap());
    reader.args(["--exact", "--nocapture", "confined::tests::a_child"]);
    reader.env(VARIABLE, behaviour);
    read_by(reader, b"some bytes".to_vec(), limits).map_err(|fault| fault.to_string())
}

/// Does nothing by itself: the other test starts it as the child.
#[test]
#[expect(clippy::exit, reason = "the harness would write behind what is handed over")]
fn a_child() {
    match std::env::var(VARIABLE).as_deref() {
        Ok("memory") => {
            limit_this_process(&LIMITS).unwrap();
            std::hint::black_box(vec![1_u8; 2 * LIMITS.memory as usize]);
        }
        Ok("time") => {
            limit_this_process(&LIMITS).unwrap();
            while std::hint::black_box(true) {}
        }
        Ok("hangs") => loop {
            std::thread::park();
        },
        Ok("panics") => panic!("as a parser may"),
        Ok("refuses") => std::process::exit(7),
        Ok("floods") => hand_over(&vec![1; 2 * LIMITS.most as usize]).unwrap(),
        Ok("reads") => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).unwrap();
            hand_over(&bytes.repeat(2)).unwrap();
            // What stands behind the mark is all taken.
            std::process::exit(0);
        }
        _ => {}
    }
}

#[test]
fn what_a_reader_hands_over_is_taken() {
    assert_eq!(child("reads", &LIMITS).unwrap(), b"some bytessome bytes");
}

#[test]
fn a_reader_that_misbehaves_becomes_one_sentence() {
    let told = |behaviour| child(behaviour, &LIMITS).unwrap_err();
    assert_eq!(told("memory"), "reading it takes more than 1500 MB of memory");
    assert_eq!(told("time"), "reading it takes more than 1 s of computing");
    assert_eq!(told("panics"), "its structure is damaged");
    assert_eq!(told("refuses"), "its structure is damaged");
    assert_eq!(told("floods"), "it holds more than 1 MB");
    assert_eq!(told("nothing"), "what it holds is missing");
    let short = ReaderLimits { patience: Duration::from_millis(300), ..LIMITS };
    assert_eq!(child("hangs", &short).unwrap_err(), "reading it takes longer than 0 s");
}

#[test]
fn an_exit_code_is_passed_to_the_caller() {
    let mut reader = Command::new("sh");
    reader.args(["-c", "exit 7"]);
    let fault = read_by(reader, Vec::new(), &LIMITS).unwrap_err();
    assert!(matches!(fault, ReaderFault::Refused(Some(7))), "{fault:?}");
}
