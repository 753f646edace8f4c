use proptest::prelude::*;

use super::*;

/// Frames of voice (`v`) and silence (`.`), 32 ms each, at −30 and −60 dB.
fn run(candidates: &mut Candidates, frames: &str, from: u64) -> Vec<Candidate> {
    run_with(candidates, frames, from, |_| true)
}

/// The same where voices may hold a phrase or not.
fn run_with(
    candidates: &mut Candidates,
    frames: &str,
    from: u64,
    may_hold: impl Fn(&Candidate) -> bool,
) -> Vec<Candidate> {
    let mut given = Vec::new();
    for (at, kind) in frames.chars().enumerate() {
        let end = from + (at as u64 + 1) * FRAME as u64;
        let (voiced, level) = match kind {
            'v' => (true, -30.0),
            'V' => (true, -20.0),
            _ => (false, -60.0),
        };
        given.extend(candidates.observe(Frame { end, voiced }, level, &may_hold));
    }
    given
}

fn frames(count: u64) -> u64 {
    count * FRAME as u64
}

#[test]
fn a_phrase_between_silences_is_a_candidate_when_the_voice_has_ended() {
    let mut candidates = Candidates::new(Onsets::On);
    let heard = format!("{}{}{}", ".".repeat(20), "v".repeat(22), ".".repeat(30));
    let (began, ended) = (frames(20), frames(42));
    assert_eq!(
        run(&mut candidates, &heard, 0),
        [Candidate {
            why: CandidateReason::Voice { began, ended: Some(ended) },
            from: began - LEAD,
            to: ended + SILENCE.next_multiple_of(FRAME as u64),
        }]
    );
}

#[test]
fn whoever_talks_on_is_a_candidate_once_after_the_longest_phrase() {
    let mut candidates = Candidates::new(Onsets::On);
    let given = run(&mut candidates, &format!("{}{}", ".".repeat(20), "v".repeat(300)), 0);
    let began = frames(20);
    assert_eq!(
        given,
        [Candidate {
            why: CandidateReason::Voice { began, ended: None },
            from: began - LEAD,
            to: began + LONGEST
        }]
    );
}

#[test]
fn a_click_is_none_and_a_short_gap_does_not_split_a_phrase() {
    let mut candidates = Candidates::new(Onsets::On);
    assert_eq!(run(&mut candidates, "....vvv....................", 0), []);
    let given = run(&mut candidates, "vvvvv.....vvvvvvv....................", frames(100));
    assert_eq!(given.len(), 1);
    assert!(matches!(given[0].why, CandidateReason::Voice { began, .. } if began == frames(100)));
}

#[test]
fn a_louder_voice_in_a_room_full_of_voices_is_a_candidate() {
    let mut candidates = Candidates::new(Onsets::On);
    let room = format!("{}{}{}", "v".repeat(150), "V".repeat(25), "v".repeat(100));
    let given = run(&mut candidates, &room, 0);
    let [
        Candidate { why: CandidateReason::Voice { .. }, .. },
        Candidate { why: CandidateReason::Louder { began }, from, to },
    ] = given[..]
    else {
        panic!("{given:?}")
    };
    assert!((frames(147)..=frames(152)).contains(&began), "{}", began / FRAME as u64);
    assert_eq!((from, to), (began - LOUDER.0, began + LOUDER.1));
}

#[test]
fn a_voice_that_can_hold_no_phrase_is_none_and_takes_no_place_in_the_minute() {
    let mut candidates = Candidates::new(Onsets::Likely);
    let voices = format!("{}{}", "v".repeat(20), ".".repeat(12)).repeat(20);
    assert_eq!(run_with(&mut candidates, &voices, 0, |_| false), []);
    let (from, to) = (frames(640), frames(672));
    candidates.doubt(0, from + DOUBT.0, from + DOUBT.0);
    let asked = std::cell::RefCell::new(Vec::new());
    let given = run_with(&mut candidates, &voices[..64], from, |candidate| {
        asked.borrow_mut().push(*candidate);
        candidate.from >= frames(660)
    });
    let (doubts, voices): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|one| matches!(one.why, CandidateReason::Doubt { .. }));
    assert_eq!(voices.iter().map(|one| one.from).collect::<Vec<_>>(), [to - LEAD], "{voices:?}");
    assert_eq!(asked.borrow()[1..], voices, "each voice is asked about once");
    assert_eq!((asked.borrow().len(), doubts.len()), (2, 1), "a doubt is never asked about");
}

#[test]
fn without_onsets_only_doubts_are_candidates() {
    let mut candidates = Candidates::new(Onsets::Off);
    assert_eq!(run(&mut candidates, &"v".repeat(300), 0), []);
    candidates.doubt(1, frames(300), frames(299));
    assert_eq!(
        run(&mut candidates, &"v".repeat(40), frames(300)),
        [Candidate {
            why: CandidateReason::Doubt { phrase: 1, ends_by: frames(299) },
            from: frames(300) - DOUBT.0,
            to: frames(300) + DOUBT.1,
        }]
    );
    candidates.doubt(1, frames(340), frames(340));
    candidates.clear();
    assert_eq!(run(&mut candidates, &"v".repeat(40), frames(340)), []);
}

#[test]
fn there_are_no_more_than_a_dozen_a_minute() {
    let mut candidates = Candidates::new(Onsets::On);
    let minutes = "vvvvvvvv............".repeat(60 * 31 / 20 * 4);
    let given = run(&mut candidates, &minutes, 0);
    assert!((45..=60).contains(&given.len()), "{}", given.len());
    assert!(candidates.held_back() > 100);
    for pair in given.windows(A_MINUTE + 1) {
        assert!(pair[A_MINUTE].to - pair[0].to >= MINUTE - RATE as u64);
    }
}

#[test]
fn nobody_looks_for_voices_in_silence_and_steady_noise() {
    let mut candidates = Candidates::new(Onsets::On);
    let alert = |candidates: &mut Candidates, range: std::ops::Range<u64>, level: fn(u64) -> f32| {
        let each = range.filter(|at| {
            let (end, level) = (frames(at + 1), level(*at));
            let is_alert = candidates.is_alert(end, level);
            candidates.observe(Frame { end, voiced: false }, level, |_| true);
            is_alert
        });
        each.count()
    };
    assert_eq!(alert(&mut candidates, 0..50, |_| -60.0), 46, "until the room is known, and a second longer");
    assert_eq!(alert(&mut candidates, 50..600, |at| -60.0 + (at % 5) as f32 / 2.0), 0);
    assert_eq!(alert(&mut candidates, 600..601, |_| -50.0), 1);
    assert_eq!(alert(&mut candidates, 601..700, |_| -60.0), 31, "for a second");
    assert!(!Candidates::new(Onsets::Off).is_alert(512, 0.0));
}

proptest! {
    #[test]
    fn a_candidate_is_never_given_before_its_sound_is_complete_nor_longer_than_a_window(
        kinds in prop::collection::vec(prop::sample::select(vec!['v', 'V', '.', '.']), 0..600),
        doubts in prop::collection::vec(0_u64..600, 0..5),
    ) {
        let mut candidates = Candidates::new(Onsets::On);
        for (at, kind) in kinds.iter().enumerate() {
            let now = frames(at as u64);
            if doubts.contains(&(at as u64)) {
                candidates.doubt(0, now, now);
            }
            for candidate in run(&mut candidates, &kind.to_string(), now) {
                prop_assert!(candidate.to <= now + FRAME as u64);
                prop_assert!(candidate.from < candidate.to);
                prop_assert!(candidate.to - candidate.from <= LEAD + LONGEST);
            }
        }
    }
}
