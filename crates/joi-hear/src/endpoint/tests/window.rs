//! The window for a follow-up: when it opens, and what begins before it does.

use super::*;

#[test]
fn a_follow_up_is_judged_by_when_it_began() {
    let window = |frames: &str| {
        let mut endpointer = new();
        endpointer.open_window(4 * F, 10 * F, 100 * F);
        show(&mut endpointer, 0, frames).iter().map(kind).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(window(&(line(0, 12) + &line(10, 30))), "started, paused, ended");
    assert_eq!(window(&(line(0, 10) + &line(10, 30))), "started, paused, ended", "at the opening");
    assert_eq!(window(&(line(0, 96) + &line(10, 30))), "started, paused, ended", "the end may come later");
    assert_eq!(window(&(line(0, 101) + &line(10, 30))), "nothing said");
    assert_eq!(window(&(line(60, 60))), "nothing said", "begun before the window opened");
    assert_eq!(window(&(line(30, 5) + &line(10, 30))), "started, paused, ended", "a new beginning counts");
    assert_eq!(window(&line(120, 0)), "nothing said", "a voice that never pauses");
    assert_eq!(window(&(line(0, 6) + &line(8, 30))), "started, paused, ended", "a quick answer");
    assert_eq!(window(&(line(4, 1) + &line(9, 30))), "started, paused, ended", "right behind her last word");
    assert_eq!(
        window(&(line(4, 1) + &line(2, 2) + &line(7, 30))),
        "started, paused, ended",
        "with a closure in it"
    );
    assert_eq!(window(&(line(4, 1) + &line(2, 110))), "nothing said", "a blip of echo before it opens");
}

// The sound that is transcribed has the whole of it, and nothing of hers
#[test]
fn a_quick_answer_begins_in_the_silence_behind_her_last_sample() {
    let mut endpointer = new();
    endpointer.open_window(4 * F, 10 * F, 100 * F);
    let edges = show(&mut endpointer, 0, &(line(5, 2) + &line(10, 30)));
    let Some(Edge::Ended(span, _)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!((span.begins_at, span.speech_begins_at, span.voiced), (5 * F, 7 * F, 10 * F));
}

#[test]
fn a_window_that_is_opened_once_more_does_not_get_longer() {
    let mut endpointer = new();
    endpointer.open_window(0, 0, 100 * F);
    let _ = show(&mut endpointer, 0, &(line(0, 5) + &line(10, 25)));
    endpointer.reopen_window(40 * F);
    let edges = show(&mut endpointer, 40 * F, &line(0, 61));
    assert_eq!(edges.iter().map(kind).collect::<Vec<_>>(), ["nothing said"]);
}
