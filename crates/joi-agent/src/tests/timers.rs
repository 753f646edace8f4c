//! Timers within turns: no model is asked, nothing is confirmed that is not stored, what is unclear is asked.

use super::*;
use joi_schedule::announce::{AnnounceConfig, Announcer};

#[tokio::test(start_paused = true)]
async fn a_timer_is_stored_before_it_is_confirmed_and_no_model_is_asked() {
    let bench = Bench::new(vec![]);
    let ran = bench.say("Set a pasta timer for nine and a half minutes.").await;
    assert_eq!(ran.shown(), "Pasta timer, 9 minutes 30 seconds.");
    assert_eq!((ran.outcome.ended, bench.model.requests().len()), (Ended::Quick, 0));
    bench.later(150);
    assert_eq!(
        bench.say("how long is left on the pasta timer?").await.shown(),
        "7 minutes left on the pasta timer."
    );
    assert_eq!(bench.say("Add two minutes to the pasta timer").await.shown(), "Pasta timer, 9 minutes left.");
    assert_eq!(bench.say("cancel all timers").await.shown(), "Pasta timer cancelled.");
    assert_eq!(bench.say("what timers are running?").await.shown(), "There are no timers.");
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_is_asked_and_the_answer_completes_it() {
    let bench = Bench::new(vec![]);
    assert_eq!(bench.say("Remind me to call Ann.").await.shown(), "For when?");
    assert_eq!(bench.say("Tomorrow at noon.").await.shown(), "Reminder tomorrow at noon: call Ann.");
    bench.say("set a tea timer for 3 minutes").await;
    bench.say("set a rice timer for 20 minutes").await;
    assert_eq!(bench.say("cancel the timer").await.shown(), "Which one: the tea timer or the rice timer?");
    assert_eq!(bench.say("the tee one").await.shown(), "Tea timer cancelled.", "as it sounds");
    assert_eq!(bench.say("set a timer").await.shown(), "For how long?");
    assert_eq!(bench.say("never mind").await.shown(), "All right.");
    assert_eq!(bench.model.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_foreseen_in_the_words_it_is_given_in_and_nothing_is_done() {
    let bench = Bench::new(vec![]);
    let foreseen = async |text: &str| {
        let answer = foresee(&bench.engine, &bench.voice, text, None).await;
        answer.map(|(words, language)| (words, language.code().to_owned()))
    };
    for text in [
        "set a tea timer for 3 minutes",
        "what timers are running?",
        "cancel the timer",
        "what time is it?",
        "remember that I like tea",
    ] {
        let before = foreseen("what timers are running?").await;
        let words = foreseen(text).await;
        assert_eq!(foreseen("what timers are running?").await, before, "nothing was done: {text}");
        let said = bench.say(text).await;
        assert_eq!(words, Some((said.shown(), "en".to_owned())), "{text}");
        bench.later(20);
    }
    assert_eq!(
        foreseen("what is twelve times twelve?").await,
        joi_tools::ready_answer("what is twelve times twelve", english()).map(|words| (words, "en".into()))
    );
    assert_eq!(foreseen("why is the sky blue?").await, None, "a question for the model");
    assert_eq!(foreseen("what do you know about me?").await, None, "it depends on the disk");
    assert_eq!(foreseen("remember that my password is hunter two").await, None, "a secret");
    bench.say("set a timer for ten minutes").await;
    assert_eq!(foreseen("and thirty seconds").await, None, "it goes on with what was said");
    bench.later(60);
    bench.say("set a timer").await;
    assert_eq!(foreseen("what time is it?").await, None, "an answer to her question comes first");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_late_or_from_elsewhere_completes_nothing() {
    let script = || vec![Step::Text("Ten minutes of what?"), Step::Done];
    let bench = Bench::new(vec![script(), script()]);
    bench.say("set a timer").await;
    bench.say_in(&bench.console, "ten minutes").await;
    bench.later(61);
    bench.say("ten minutes").await;
    assert_eq!(bench.model.requests().len(), 2, "both went to the model");
    assert_eq!(bench.say("list all timers").await.shown(), "There are no timers.");
}

#[tokio::test(start_paused = true)]
async fn without_a_database_nothing_is_confirmed() {
    let bench = Bench::with(vec![], |parts| parts.schedule = None);
    assert_eq!(bench.say("wake me at seven").await.shown(), say().no_timers);
    let bench = Bench::new(vec![]);
    bench.store.break_timers().await;
    let ran = bench.say("wake me at seven").await;
    assert!(
        ran.shown().ends_with(&*say().no_timers) && ran.shown().contains("the database failed"),
        "{}",
        ran.shown()
    );
    assert_eq!(ran.outcome.exchange, None);
}

// A disk that takes nothing more while joi runs; a full one is reported by the same error
#[tokio::test]
async fn a_disk_that_takes_nothing_costs_what_would_be_stored_and_no_answer() {
    let bench = Bench::new(vec![super::scripted::answers("Blue.")]);
    assert!(bench.say("set a timer for ten minutes").await.shown().contains("10 minutes"));
    bench.store.make_read_only().await;
    let ran = bench.say("why is the sky blue in summer").await;
    assert!(ran.shown().contains("Blue."), "{}", ran.shown());
    let refused = bench.say("remind me at nine to call Ann").await;
    assert!(refused.shown().ends_with(&*say().no_timers), "{}", refused.shown());
    let kept = bench.say("list all timers").await;
    assert!(kept.shown().contains("10 minute"), "what was stored is still there: {}", kept.shown());
}

#[tokio::test(start_paused = true)]
async fn stop_thanks_and_never_mind_silence_what_rings() {
    for words in ["stop", "thank you", "never mind", "cancel that", "Stop! My chest hurts."] {
        let bench = Bench::new(vec![]);
        bench.model.state.send_replace(super::scripted::knows_little());
        let schedule = schedule(&bench.store, &bench.clock);
        bench.say("set a timer for one minute").await;
        bench.later(60);
        let announcer = Announcer::new(&AnnounceConfig::default(), None, bench.clock.clone());
        let (ringer, mut ringing) =
            joi_schedule::Ringer::new(schedule, announcer, joi_base::pulse::Heart::unwatched());
        let stop = CancellationToken::new();
        let task = tokio::spawn(ringer.run(stop.clone()));
        ringing.wait_for(|rings| rings.len() == 1).await.unwrap();
        stop.cancel();
        task.await.unwrap();
        bench.say(words).await;
        assert_eq!(bench.say("stop ringing").await.shown(), "Nothing is ringing.", "{words}");
    }
}

// covers "who goes on": a pause in the middle of a length is no end of it
#[tokio::test(start_paused = true)]
async fn who_goes_on_after_a_pause_changes_what_was_just_set() {
    let bench = Bench::new(vec![]);
    assert_eq!(bench.say("Set a timer for nine minutes.").await.shown(), "Timer, 9 minutes.");
    bench.later(3);
    assert_eq!(bench.say("And thirty seconds.").await.shown(), "Timer, 9 minutes 30 seconds.");
    bench.later(2);
    assert_eq!(
        bench.say("what timers are running").await.shown(),
        "9 minute 30 second timer: 9 minutes 25 seconds left."
    );
    assert_eq!(bench.say("Set an alarm for seven.").await.shown(), "Alarm today at 7 PM.");
    assert_eq!(bench.say("on weekdays").await.shown(), "Alarm at 7 AM on weekdays.");
    assert_eq!(bench.say("list my alarms").await.shown(), "Alarm at 7 AM on weekdays.");
    assert_eq!(bench.model.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_comes_late_or_from_elsewhere_is_no_part_of_the_command() {
    let script = || vec![Step::Text("Thirty seconds of what?"), Step::Done];
    let bench = Bench::new(vec![script(), script(), script()]);
    bench.say("Set a timer for nine minutes.").await;
    bench.say_in(&bench.console, "and thirty seconds").await;
    bench.later(11);
    bench.say("and thirty seconds").await;
    bench.say("set a timer for nine minutes").await;
    bench.say("what time is it").await;
    bench.say("and thirty seconds").await;
    assert_eq!(bench.model.requests().len(), 3, "all went to the model");
    let schedule = schedule(&bench.store, &bench.clock);
    let lengths: Vec<_> = schedule.entries().await.unwrap().iter().map(|entry| entry.length_s).collect();
    assert_eq!(lengths, [Some(540), Some(540)]);
}

/// The turn is broken off as soon as its intent is known, whether or not the timer has been written by then.
#[tokio::test(start_paused = true)]
async fn a_turn_that_is_broken_off_by_going_on_leaves_one_timer_with_the_whole_length() {
    let bench = Bench::new(vec![]);
    let (events, mut received) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let text = Private("Set a timer for nine minutes.".to_owned());
    let turn = TurnInput { id: TurnId(1), text, language: None, is_unsure: false };
    let watch = async {
        received.recv().await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(reply(&bench.engine, &bench.voice, turn, events, cancel.clone()), watch);
    assert_eq!(outcome.ended, Ended::Cancelled);
    let whole = bench.say("Set a timer for 9 minutes and 30 seconds.").await;
    assert_eq!(whole.shown(), "Timer, 9 minutes 30 seconds.");
    let schedule = schedule(&bench.store, &bench.clock);
    let lengths: Vec<_> = schedule.entries().await.unwrap().iter().map(|entry| entry.length_s).collect();
    assert_eq!(lengths, [Some(570)]);
    let again = bench.say("Set a timer for 9 minutes and 30 seconds, uh, let me see.").await;
    assert_eq!(again.shown(), "Timer, 9 minutes 30 seconds.", "it is told, not set once more");
    assert_eq!((schedule.entries().await.unwrap().len(), bench.model.requests().len()), (1, 0));
}

// "Never two timers": what half a sentence has set becomes what the whole of it says, or is gone.
#[tokio::test(start_paused = true)]
async fn what_half_a_sentence_has_set_is_never_there_beside_the_whole() {
    let ten = "Set a timer for ten minutes.";
    for (begun, whole, lengths) in [
        (ten, "Set a timer for ten minutes and thirty seconds.", vec![Some(630)]),
        (ten, "Set a timer for ten minutes for the eggs.", vec![Some(600)]),
        (
            "Set a timer for nineteen minutes.",
            "Set a timer for nine minutes and ten seconds.",
            vec![Some(550)],
        ),
        (ten, "Set an alarm for ten tomorrow.", vec![None]),
        (ten, "What time is it?", vec![]),
        (ten, "Set a timer for ten minutes, no, forget it.", vec![Some(600)]),
        (ten, "Why is the sky blue?", vec![]),
    ] {
        let bench = Bench::new(vec![vec![Step::Text("It scatters light."), Step::Done]]);
        bench.say("Set a tea timer for three minutes.").await;
        bench.say(begun).await;
        bench.later(2);
        bench.voice.supersede(bench.clock.now().timestamp());
        bench.say(whole).await;
        let schedule = schedule(&bench.store, &bench.clock);
        let mut there: Vec<_> =
            schedule.entries().await.unwrap().iter().map(|entry| entry.length_s).collect();
        assert_eq!(there.remove(0), Some(180), "another one stays");
        assert_eq!(there, lengths, "{begun} … {whole}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_set_a_while_ago_is_not_what_somebody_goes_on_with() {
    let bench = Bench::new(vec![]);
    bench.say("Set a timer for ten minutes.").await;
    bench.later(6);
    bench.voice.supersede(bench.clock.now().timestamp());
    bench.say("What time is it?").await;
    let schedule = schedule(&bench.store, &bench.clock);
    assert_eq!(schedule.entries().await.unwrap().len(), 1);
}

// Nothing is claimed that was not done, and no model is asked that could
#[tokio::test(start_paused = true)]
async fn without_a_home_she_says_at_once_that_there_is_none() {
    let bench = Bench::shipped(vec![]);
    let ran = bench.say("Turn on the kitchen light.").await;
    assert_eq!(ran.shown(), "I'm not connected to the house yet, so I can't turn on the kitchen light.");
    assert_eq!((ran.outcome.ended, bench.model.requests().len()), (Ended::Quick, 0));
    assert_eq!((ran.decided("intents"), ran.decided("home")), (vec!["home"], vec!["not connected"]));
}

// Nothing is asked of the model, and nothing is written
#[tokio::test]
async fn what_stands_on_a_list_is_foreseen_unless_a_stranger_wrote_it() {
    let bench = Bench::shipped(vec![]);
    let foreseen =
        async |text: &str| foresee(&bench.engine, &bench.voice, text, None).await.map(|(words, _)| words);
    assert_eq!(
        foreseen("what's on the shopping list?").await,
        Some("The shopping list is empty.".to_owned())
    );
    bench.say("put milk and eggs on the shopping list").await;
    let words = foreseen("what's on the shopping list?").await;
    assert_eq!(words, Some(bench.say("what's on the shopping list?").await.shown()));
    assert!(words.is_some_and(|words| words.contains("milk and eggs")));
    let at = bench.clock.now().timestamp();
    let parcel = vec!["a parcel".to_owned()];
    bench.store.add_notes_of("shopping", parcel, at, Origin::Stranger).await.unwrap();
    assert_eq!(foreseen("what's on the shopping list?").await, None);
    assert_eq!(bench.model.requests().len(), 0);
}
