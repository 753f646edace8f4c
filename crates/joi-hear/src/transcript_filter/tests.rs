use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// A sure, clear voice of 0.9 s.
const CLEAR: Evidence = Evidence {
    voiced: Duration::from_millis(900),
    voice: 1.0,
    no_speech: 0.05,
    mean_logprob: -0.25,
    ran_away: false,
    voice_db: -25.0,
    quiet_db: -60.0,
};

fn wake() -> OpenedBy {
    OpenedBy::Wake { phrase: "hey jarvis".into(), score: 0.99 }
}

fn checked(text: &str, evidence: Evidence, opened_by: &OpenedBy) -> Result<(), Rejection> {
    check(
        &FilterInput { text, evidence: &evidence, opened_by, prompt: None },
        &TranscriptFilterConfig::default(),
    )
}

fn follow_up(text: &str, evidence: Evidence) -> Result<(), Rejection> {
    checked(text, evidence, &OpenedBy::FollowUp)
}

fn spoken_for(ms: u64) -> Evidence {
    Evidence { voiced: Duration::from_millis(ms), ..CLEAR }
}

#[test]
fn what_was_clearly_said_is_believed_in_any_language() {
    for text in [
        "what time is it",
        "seven",
        "Wie spät ist es?",
        "Quelle heure est-il ?",
        "今何時ですか",
        "Сколько времени?",
        "지금 몇 시예요?",
        "Turn it up (a bit).",
    ] {
        for opened_by in [wake(), OpenedBy::Request, OpenedBy::FollowUp, OpenedBy::Interjection] {
            assert_eq!(checked(text, spoken_for(1100), &opened_by), Ok(()), "{text} {opened_by:?}");
        }
    }
}

#[test]
fn without_words_there_is_nothing_to_believe() {
    for text in ["", "   ", "...", "?!", "- -"] {
        assert_eq!(follow_up(text, CLEAR), Err(Rejection::NoWords), "{text:?}");
    }
    for text in [
        "[Music]",
        "(wind blowing)",
        "♪",
        "♪ la la la ♪",
        "*sighs*",
        "[BLANK_AUDIO] (beep)",
        "【拍手】",
        "（笑）",
        "[Musik",
    ] {
        assert_eq!(follow_up(text, CLEAR), Err(Rejection::OnlySounds), "{text:?}");
    }
    assert_eq!(follow_up("[coughs] turn it off", CLEAR), Ok(()), "words beside a sound");
}

#[test]
fn a_click_is_no_word() {
    assert_eq!(follow_up("seven", spoken_for(96)), Err(Rejection::TooShort(Duration::from_millis(96))));
    assert_eq!(follow_up("seven", spoken_for(288)), Ok(()));
}

#[test]
fn nobody_speaks_that_fast_but_slowly_is_allowed() {
    let voiced = Duration::from_millis(200);
    let text = "what is the weather going to be like in the afternoon";
    assert_eq!(follow_up(text, spoken_for(200)), Err(Rejection::TooFast { syllables: 14, voiced }));
    assert_eq!(follow_up(text, spoken_for(1600)), Ok(()));
    assert_eq!(
        follow_up("今日の天気はどうですか", spoken_for(300))
            .map_err(|e| matches!(e, Rejection::TooFast { .. })),
        Err(true)
    );
    assert_eq!(follow_up("turn", spoken_for(9000)), Ok(()), "a few words over a long noise are no reason");
}

#[test]
fn the_limits_are_stricter_without_a_wake_phrase() {
    let heard =
        |no_speech: f32, mean_logprob: f32| Evidence { voice: 0.99, no_speech, mean_logprob, ..CLEAR };
    for text in ["turn the light off", "come in"] {
        assert_eq!(checked(text, heard(0.2, -1.8), &wake()), Ok(()));
        assert_eq!(follow_up(text, heard(0.2, -1.8)), Err(Rejection::Unsure(-1.8)));
        assert_eq!(follow_up(text, heard(0.2, -1.6)), Ok(()));
        assert_eq!(checked(text, heard(0.6, -0.6), &wake()), Ok(()));
        assert_eq!(follow_up(text, heard(0.6, -0.6)), Err(Rejection::NoSpeech(0.6)));
        assert_eq!(follow_up(text, heard(0.6, -0.4)), Ok(()));
        assert_eq!(checked(text, heard(0.1, -3.0), &wake()), Err(Rejection::Unsure(-3.0)));
        assert_eq!(checked(text, heard(0.95, -0.1), &wake()), Err(Rejection::NoSpeech(0.95)));
    }
}

#[test]
fn a_lone_word_in_a_clear_voice_may_be_a_guess() {
    let heard = |voice: f32, no_speech: f32, mean_logprob: f32| Evidence {
        voice,
        no_speech,
        mean_logprob,
        voiced: Duration::from_millis(416),
        ..CLEAR
    };
    for opened_by in [OpenedBy::FollowUp, wake()] {
        let told = |text: &str, evidence: Evidence| checked(text, evidence, &opened_by);
        assert_eq!(told("Pizza", heard(0.99, 0.26, -2.25)), Ok(()));
        assert_eq!(told("Pizza", heard(0.9, 0.26, -2.25)), Err(Rejection::NoVoice(0.9)));
        assert_eq!(told("It's a", heard(0.99, 0.26, -2.25)), Err(Rejection::Unsure(-2.25)), "two words");
        assert_eq!(
            told("Pizza", heard(0.99, 0.65, -2.25)),
            Err(Rejection::Unsure(-2.25)),
            "perhaps no speech"
        );
        assert_eq!(
            told("Pizza", heard(0.99, 0.26, -2.75)),
            Err(Rejection::Unsure(-2.75)),
            "nothing but a guess"
        );
        let crowd = Evidence { quiet_db: -35.0, ..heard(0.99, 0.26, -2.25) };
        assert_eq!(told("Pizza", crowd), Err(Rejection::Unsure(-2.25)), "a voice in a crowd");
        // Even what is often invented, though it must be surer.
        assert_eq!(told("Okay.", heard(0.99, 0.2, -1.8)), Ok(()));
        assert_eq!(told("Okay.", heard(0.9, 0.2, -0.2)), Err(Rejection::NoVoice(0.9)));
        assert_eq!(told("Okay.", heard(0.99, 0.2, -2.25)), Err(Rejection::OftenInvented));
        // A hasty one.
        let hasty = Evidence { voiced: Duration::from_millis(224), ..heard(0.99, 0.2, -0.5) };
        assert_eq!(told("Kitchen", hasty), Ok(()));
        assert_eq!(told("The kitchen", hasty), Err(Rejection::TooShort(hasty.voiced)));
    }
}

#[test]
fn a_few_words_in_a_voice_beyond_doubt_may_be_more_of_a_guess() {
    // A synthetic "never" becomes "remember", and is a person all the same.
    let heard = |voice: f32, mean_logprob: f32| Evidence {
        voice,
        mean_logprob,
        no_speech: 0.3,
        voiced: Duration::from_millis(672),
        ..CLEAR
    };
    for text in ["remember", "every color", "go on then"] {
        assert_eq!(follow_up(text, heard(0.9995, -3.0)), Ok(()), "{text}");
        assert_eq!(follow_up(text, heard(0.998, -3.0)), Err(Rejection::Unsure(-3.0)), "{text}");
        assert_eq!(follow_up(text, heard(0.9995, -3.4)), Err(Rejection::Unsure(-3.4)), "{text}");
        let long = Evidence { voiced: Duration::from_secs(2), ..heard(0.9995, -3.0) };
        assert_eq!(follow_up(text, long), Err(Rejection::Unsure(-3.0)), "{text}");
        let crowd = Evidence { quiet_db: -35.0, ..heard(0.9995, -3.0) };
        assert_eq!(follow_up(text, crowd), Err(Rejection::Unsure(-3.0)), "{text}");
    }
    assert_eq!(follow_up("go on if you can", heard(0.9995, -3.0)), Err(Rejection::Unsure(-3.0)));
}

#[test]
fn several_words_in_a_short_sound_that_may_be_a_bark_must_be_sure() {
    let heard = |voice: f32, mean_logprob: f32| Evidence {
        voice,
        mean_logprob,
        no_speech: 0.2,
        voiced: Duration::from_millis(544),
        ..CLEAR
    };
    assert_eq!(follow_up("My brother.", heard(0.998, -0.8)), Err(Rejection::Unsure(-0.8)));
    assert_eq!(follow_up("My brother.", heard(0.998, -0.5)), Ok(()));
    assert_eq!(follow_up("My brother.", heard(0.9992, -0.8)), Ok(()));
    assert_eq!(follow_up("Brother.", heard(0.998, -0.8)), Ok(()), "one word");
    assert_eq!(checked("My brother.", heard(0.998, -0.8), &wake()), Ok(()), "said after the wake phrase");
}

#[test]
fn a_word_that_the_decoder_wrote_twice_was_said_once() {
    let said = |text, ms| as_said(text, &spoken_for(ms)).to_owned();
    assert_eq!(said("Peter. Peter.", 352), "Peter.");
    assert_eq!(said("Friday, friday", 416), "Friday");
    assert_eq!(said("go on go on", 500), "go on");
    assert_eq!(said("No, no.", 500), "No, no.", "long enough for both");
    assert_eq!(said("No, no.", 300), "No");
    for text in ["yes no", "no no no", "Peter", "", "a b c d e f g a b c d e f g"] {
        assert_eq!(said(text, 100), text);
    }
}

#[test]
fn a_short_sound_that_only_resembles_a_voice_says_nothing() {
    // Coughs and barks, for which whisper writes short sentences.
    let cough = Evidence { voice: 0.94, ..spoken_for(448) };
    for text in ["That way.", "I was there, right?", "seven"] {
        assert_eq!(follow_up(text, cough), Err(Rejection::NoVoice(0.94)));
        assert_eq!(checked(text, cough, &wake()), Err(Rejection::NoVoice(0.94)));
        assert_eq!(follow_up(text, Evidence { voice: 0.98, ..spoken_for(640) }), Ok(()));
        assert_eq!(
            follow_up(text, Evidence { voice: 0.94, ..spoken_for(640) }),
            Ok(()),
            "it goes on like speech"
        );
    }
}

#[test]
fn a_few_words_take_longer_than_a_knock() {
    let (text, short) = ("come in", spoken_for(224));
    assert_eq!(follow_up(text, short), Err(Rejection::TooShort(short.voiced)));
    assert_eq!(follow_up(text, spoken_for(288)), Ok(()));
    assert_eq!(follow_up("two", short), Ok(()));
}

#[test]
fn a_voice_in_a_crowd_counts_only_after_the_wake_phrase_and_when_it_is_understood_well() {
    let crowd = Evidence { quiet_db: CLEAR.voice_db - 5.0, voiced: Duration::from_secs(2), ..CLEAR };
    let text = "turn the light off";
    assert_eq!(follow_up(text, crowd), Err(Rejection::Faint(5.0)));
    assert_eq!(checked(text, crowd, &wake()), Ok(()));
    assert_eq!(checked("seven", crowd, &wake()), Err(Rejection::Faint(5.0)), "too few words");
    let worse = Evidence { mean_logprob: -1.5, ..crowd };
    assert_eq!(checked(text, worse, &wake()), Err(Rejection::Unsure(-1.5)));
}

#[test]
fn a_thank_you_survives_when_the_sound_supports_it() {
    for text in [
        "Thank you.",
        "Thanks!",
        "Bye.",
        "Thank you very much.",
        "Danke.",
        "Merci beaucoup.",
        "ありがとう",
        "No, thank you.",
    ] {
        assert_eq!(follow_up(text, spoken_for(900)), Ok(()), "{text}");
    }
    let doubts = [
        ("too long for it", spoken_for(4000)),
        ("perhaps no speech", Evidence { no_speech: 0.65, ..CLEAR }),
        ("too short for it", spoken_for(288)),
        ("unsure", Evidence { mean_logprob: -2.0, ..CLEAR }),
        ("hardly louder than the room", Evidence { quiet_db: -30.0, ..CLEAR }),
    ];
    for (why, evidence) in doubts {
        assert_eq!(follow_up("Thank you.", evidence), Err(Rejection::OftenInvented), "{why}");
        assert_eq!(checked("Thank you.", evidence, &wake()), Err(Rejection::OftenInvented), "{why}");
    }
}

#[test]
fn credits_are_never_believed_however_sure() {
    for text in
        ["Thanks for watching!", "Untertitel im Auftrag des ZDF, 2020", "ご視聴ありがとうございました", "You"]
    {
        assert_eq!(checked(text, spoken_for(1500), &wake()), Err(Rejection::Invented), "{text}");
    }
    assert_eq!(follow_up("thank you for the light", CLEAR), Ok(()));
}

#[test]
fn a_person_repeats_a_word_and_a_decoder_everything() {
    assert_eq!(follow_up("no no no", spoken_for(1000)), Ok(()));
    let circling = "turn it on turn it on turn it on turn it on turn it on";
    assert_eq!(follow_up(circling, spoken_for(3000)), Err(Rejection::Repeats));
    // However well the sound would fit it
    for (letters, ms) in [("a".repeat(90), 900), ("abc".repeat(25), 6_000)] {
        assert_eq!(follow_up(&letters, spoken_for(ms)), Err(Rejection::Repeats), "{letters}");
    }
    for letters in ["abc abc abc", "ABC, ABC, ABC.", "abc-abc-abc", "a b c a b c a b c"] {
        let sure = Evidence { mean_logprob: 0.0, no_speech: 0.0, ..spoken_for(1600) };
        assert_eq!(checked(letters, sure, &wake()), Err(Rejection::Repeats), "{letters}");
    }
    let unsure = Evidence { mean_logprob: -2.0, ..spoken_for(1000) };
    assert_eq!(follow_up("no no no", unsure), Err(Rejection::Repeats));
}

#[test]
fn whisper_repeating_its_own_prompt_says_nothing() {
    let told = |text| {
        let prompt = Some("The lights are called Kitchen, Bedroom and Garden.");
        check(
            &FilterInput { text, evidence: &spoken_for(3000), opened_by: &wake(), prompt },
            &TranscriptFilterConfig::default(),
        )
    };
    assert_eq!(told("The lights are called kitchen, bedroom and garden."), Err(Rejection::Prompt));
    assert_eq!(told("called Kitchen, Bedroom and"), Err(Rejection::Prompt));
    assert_eq!(told("the lights"), Ok(()), "too short to be more than chance");
    assert_eq!(told("turn the garden lights on"), Ok(()));
}

#[test]
fn each_reason_is_a_few_words() {
    let told = [
        Rejection::NoWords,
        Rejection::OnlySounds,
        Rejection::TooShort(Duration::from_millis(96)),
        Rejection::NoVoice(0.916),
        Rejection::TooFast { syllables: 15, voiced: Duration::from_millis(224) },
        Rejection::NoSpeech(0.9),
        Rejection::Unsure(-1.234),
        Rejection::Faint(4.6),
        Rejection::Repeats,
        Rejection::Invented,
        Rejection::OftenInvented,
        Rejection::Prompt,
    ]
    .map(|reason| reason.to_string());
    assert_eq!(
        told,
        [
            "no words",
            "a sound, no words",
            "0.10 s of voice are too short for it",
            "the sound is hardly a voice (0.92)",
            "15 syllables in 0.22 s of voice are too many",
            "probably no speech (0.90)",
            "the words are a guess (-1.23)",
            "the voice is only 5 dB above the room",
            "it repeats itself",
            "known to be hallucinated",
            "often hallucinated, and the audio does not support it",
            "only what whisper was told before",
        ]
    );
}

proptest! {
    #[test]
    fn more_voice_and_less_doubt_never_make_an_unknown_text_less_credible(
        text in "[a-z]{1,9}( [a-z]{1,9}){0,11}",
        voiced in 0_u64..9000,
        no_speech in 0.0_f32..1.0,
        mean_logprob in -3.0_f32..0.0,
    ) {
        prop_assume!(known_hallucinations::known(&text).is_none() && !repeats(&text));
        let weaker = Evidence { no_speech, mean_logprob, ..spoken_for(voiced) };
        let stronger = Evidence { no_speech: no_speech / 2.0, mean_logprob: mean_logprob / 2.0, ..spoken_for(voiced + 500) };
        prop_assert!(follow_up(&text, weaker).is_err() || follow_up(&text, stronger).is_ok());
        prop_assert!(follow_up(&text, weaker).is_err() || checked(&text, weaker, &wake()).is_ok());
    }
}

#[test]
fn a_word_may_be_accepted_and_still_be_unsure() {
    let lone = Evidence { no_speech: 0.5, mean_logprob: -1.2, ..spoken_for(400) };
    assert_eq!(follow_up("seven", lone), Ok(()));
    let config = TranscriptFilterConfig::default();
    assert!(is_unsure(&lone, &config));
    assert!(is_unsure(&Evidence { ran_away: true, ..CLEAR }, &config));
    assert!(!is_unsure(&CLEAR, &config));
}
