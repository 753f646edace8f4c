use std::time::Duration;

use proptest::prelude::*;

use super::*;

const CLEAR: Evidence = Evidence {
    voiced: Duration::from_millis(900),
    voice: 1.0,
    no_speech: 0.05,
    mean_logprob: -0.25,
    ran_away: false,
    voice_db: -25.0,
    quiet_db: -60.0,
};
const SHE_SAID: &str = "You can tell me to stop at any time, and I will be quiet.";
const WEATHER: &str = "Tomorrow it will be 22.5 °C in Vienna, with a light wind from the west.";

/// Milliseconds after the beginning of all times.
struct At(Instant);

impl At {
    fn new() -> Self {
        Self(Instant::now() + Duration::from_secs(100))
    }

    fn ms(&self, ms: u64) -> Instant {
        self.0 + Duration::from_millis(ms)
    }

    fn said(&self, text: &str, from: u64, until: u64) -> SpokenSentence {
        SpokenSentence { text: text.into(), from: self.ms(from), until: self.ms(until) }
    }
}

/// An utterance heard from `began` ms on for 0.9 s.
fn heard<'a>(
    text: &'a str,
    opened_by: &'a OpenedBy,
    (at, began): (&At, u64),
    said: &'a [SpokenSentence],
) -> JudgeInput<'a> {
    JudgeInput {
        text,
        evidence: &CLEAR,
        opened_by,
        began: at.ms(began),
        ended: at.ms(began + 900),
        said,
        names: &[],
        prompt: None,
    }
}

fn judged(case: &JudgeInput<'_>) -> Judgement {
    let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
    let words = joi_language::testing::english().vocabulary();
    judge(case, &JudgeRules { trust: &trust, config: &config, words })
}

fn verdict(case: &JudgeInput<'_>) -> JudgeVerdict {
    judged(case).verdict
}

fn wake() -> OpenedBy {
    OpenedBy::Wake { phrase: "hey jarvis".into(), score: 0.99 }
}

#[test]
fn each_way_of_opening_has_its_verdict_and_reason() {
    let at = At::new();
    let of = |opened_by: OpenedBy| judged(&heard("what time is it", &opened_by, (&at, 0), &[]));
    let judgement = |verdict, reason: &str| Judgement { verdict, reason: reason.into() };
    let text = || "what time is it".to_owned();
    assert_eq!(of(wake()), judgement(JudgeVerdict::Addressed(text()), "said after the wake phrase"));
    assert_eq!(of(OpenedBy::Request), judgement(JudgeVerdict::Addressed(text()), "listening was requested"));
    assert_eq!(
        of(OpenedBy::FollowUp),
        judgement(JudgeVerdict::FollowUp(text()), "said right after the answer")
    );
    assert_eq!(
        of(OpenedBy::Interjection),
        judgement(JudgeVerdict::Ignore, "no stop word during playback, and it may contain echo")
    );
}

#[test]
fn a_stop_word_comes_before_everything_else() {
    let at = At::new();
    let weak = Evidence { no_speech: 0.99, mean_logprob: -3.0, voiced: Duration::ZERO, ..CLEAR };
    for opened_by in [wake(), OpenedBy::Request, OpenedBy::FollowUp, OpenedBy::Interjection] {
        let case = JudgeInput { evidence: &weak, ..heard("Stop.", &opened_by, (&at, 0), &[]) };
        let expected =
            Judgement { verdict: JudgeVerdict::Stop, reason: "a stop word and little else".into() };
        assert_eq!(judged(&case), expected, "{opened_by:?}");
    }
    let names = ["friday".to_owned()];
    let case = JudgeInput { names: &names, ..heard("Be quiet, Friday!", &OpenedBy::FollowUp, (&at, 0), &[]) };
    assert_eq!(verdict(&case), JudgeVerdict::Stop);
    assert_eq!(verdict(&heard("Hey Jarvis, stop.", &wake(), (&at, 0), &[])), JudgeVerdict::Stop);
}

#[test]
fn words_that_only_hold_a_stop_word_stop_nothing() {
    let at = At::new();
    for text in [
        "When does the bus stop?",
        "Is it quite warm outside?",
        "Play some non-stop music.",
        "Don't stop the music.",
    ] {
        for opened_by in [wake(), OpenedBy::FollowUp, OpenedBy::Interjection] {
            assert_ne!(
                verdict(&heard(text, &opened_by, (&at, 0), &[])),
                JudgeVerdict::Stop,
                "{text} {opened_by:?}"
            );
        }
    }
}

#[test]
fn while_she_speaks_a_stop_word_among_a_few_others_is_enough() {
    let at = At::new();
    let said = [at.said(WEATHER, 0, 5000)];
    let says = |text, opened_by| verdict(&heard(text, opened_by, (&at, 3000), &said));
    assert_eq!(says("oh come on stop already", &OpenedBy::Interjection), JudgeVerdict::Stop);
    assert_ne!(says("oh come on stop already", &OpenedBy::FollowUp), JudgeVerdict::Stop);
    let long = "I was at the station and then they all said stop it";
    assert_eq!(says(long, &OpenedBy::Interjection), JudgeVerdict::Ignore);
}

#[test]
fn she_never_stops_at_a_stop_word_of_her_own() {
    let at = At::new();
    let said = [at.said(SHE_SAID, 0, 4000)];
    let says = |text, began| verdict(&heard(text, &OpenedBy::Interjection, (&at, began), &said));
    assert_ne!(says("stop", 1500), JudgeVerdict::Stop, "in playback itself");
    assert_ne!(says("to stop at any time", 1200), JudgeVerdict::Stop);
    assert_ne!(says("be quiet", 3300), JudgeVerdict::Stop);
    let longer = [at.said(&format!("{WEATHER} {WEATHER} {SHE_SAID}"), 0, 14_000)];
    let early = heard("stop", &OpenedBy::Interjection, (&at, 1000), &longer);
    assert_eq!(verdict(&early), JudgeVerdict::Stop, "played ten seconds later");
}

#[test]
fn where_her_own_voice_is_kept_out_any_word_interrupts_her_but_a_listeners() {
    let at = At::new();
    let said = [at.said(WEATHER, 0, 5000)];
    let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
    let rules =
        JudgeRules { trust: &trust, config: &config, words: joi_language::testing::english().vocabulary() };
    let of = |text, openness| {
        judge_by(&rules, &heard(text, &OpenedBy::Interjection, (&at, 3000), &said), openness).verdict
    };
    let what = "what about tomorrow";
    assert_eq!(of(what, BargeInPolicy::Words), JudgeVerdict::Interrupts(what.into()));
    assert_eq!(of(what, BargeInPolicy::StopWords), JudgeVerdict::Ignore);
    assert_eq!(of(what, BargeInPolicy::Commands), JudgeVerdict::Ignore);
    for hum in ["Mhm.", "Yeah, right.", "Okay.", "I see."] {
        assert_eq!(of(hum, BargeInPolicy::Words), JudgeVerdict::Ignore, "{hum}");
    }
    assert_eq!(of("with a light wind from the west", BargeInPolicy::Words), JudgeVerdict::Echo, "an echo");
    assert_eq!(of("oh come on stop already", BargeInPolicy::Words), JudgeVerdict::Stop);
    assert_eq!(
        of("oh come on stop already", BargeInPolicy::Commands),
        JudgeVerdict::Ignore,
        "said to somebody else"
    );
    assert_eq!(of("Stop.", BargeInPolicy::Commands), JudgeVerdict::Stop);
    let unsure = Evidence { mean_logprob: -0.6, ..CLEAR };
    let murmur = JudgeInput { evidence: &unsure, ..heard(what, &OpenedBy::Interjection, (&at, 3000), &said) };
    let judgement = judge_by(&rules, &murmur, BargeInPolicy::Words);
    let reason = "too unsure to interrupt (0.8)".to_owned();
    assert_eq!(judgement, Judgement { verdict: JudgeVerdict::Ignore, reason }, "residual echo");
    let faint = Evidence { no_speech: 0.95, ..CLEAR };
    let unclear = JudgeInput { evidence: &faint, ..heard(what, &OpenedBy::Interjection, (&at, 3000), &said) };
    assert_eq!(
        judge_by(&rules, &unclear, BargeInPolicy::Words).verdict,
        JudgeVerdict::Ignore,
        "no recognised word"
    );
}

#[test]
fn what_she_fell_silent_for_is_judged_like_a_follow_up() {
    let at = At::new();
    let said = [at.said(WEATHER, 0, 5000)];
    let text = "what about tomorrow in Graz";
    let judgement = judged(&heard(text, &OpenedBy::Interruption, (&at, 3000), &said));
    let reason = "playback stopped for it".to_owned();
    assert_eq!(judgement, Judgement { verdict: JudgeVerdict::FollowUp(text.into()), reason });
    let played = "with a light wind from the west";
    assert_eq!(verdict(&heard(played, &OpenedBy::Interruption, (&at, 3000), &said)), JudgeVerdict::Echo);
}

#[test]
fn who_says_stop_more_often_than_she_is_obeyed() {
    let at = At::new();
    let said = [at.said(SHE_SAID, 0, 4000)];
    let case = heard("Stop, stop, stop!", &OpenedBy::Interjection, (&at, 1500), &said);
    let expected =
        Judgement { verdict: JudgeVerdict::Stop, reason: "a stop word, more often than in playback".into() };
    assert_eq!(judged(&case), expected);
    let circling = Evidence { ran_away: true, ..CLEAR };
    assert_ne!(
        verdict(&JudgeInput { evidence: &circling, ..case }),
        JudgeVerdict::Stop,
        "the decoder went in circles"
    );
}

#[test]
fn her_own_words_are_an_echo_however_whisper_writes_them() {
    let at = At::new();
    let said = [at.said(WEATHER, 0, 5000)];
    for text in [
        "it will be twenty two and a half degrees Celsius in Vienna",
        "with a light wind from the west",
        "22.5 degrees Celsius in Vienna with the light wind",
    ] {
        let judgement = judged(&heard(text, &OpenedBy::Interjection, (&at, 2000), &said));
        assert_eq!(judgement.verdict, JudgeVerdict::Echo, "{text}: {}", judgement.reason);
        assert!(judgement.reason.ends_with("% echo of playback"), "{}", judgement.reason);
        let window = heard(text, &OpenedBy::FollowUp, (&at, 5400), &said);
        assert_eq!(verdict(&window), JudgeVerdict::Echo, "{text}");
    }
    let later = heard("with a light wind from the west", &OpenedBy::FollowUp, (&at, 7100), &said);
    assert_eq!(
        verdict(&later),
        JudgeVerdict::FollowUp("with a light wind from the west".into()),
        "too late for an echo"
    );
}

#[test]
fn an_answer_with_her_own_words_is_no_echo() {
    let at = At::new();
    let said = [at.said("Would you like coffee or tea?", 0, 2000)];
    let answers = |text, began| verdict(&heard(text, &OpenedBy::FollowUp, (&at, began), &said));
    assert_eq!(answers("Coffee.", 2500), JudgeVerdict::FollowUp("Coffee.".into()));
    assert_eq!(answers("Tea.", 2900), JudgeVerdict::FollowUp("Tea.".into()));
    assert_eq!(answers("or tea", 1500), JudgeVerdict::Echo);
    assert_eq!(answers("I would like tea", 2500), JudgeVerdict::FollowUp("I would like tea".into()));
}

#[test]
fn what_a_person_adds_to_an_echo_is_kept() {
    let at = At::new();
    let said = [at.said(WEATHER, 0, 5000)];
    let text = "a light wind from the west. And what about Sunday?";
    let case = heard(text, &OpenedBy::FollowUp, (&at, 4000), &said);
    let expected = Judgement {
        verdict: JudgeVerdict::FollowUp("And what about Sunday?".into()),
        reason: "said right after the answer, without 6 words of echo".into(),
    };
    assert_eq!(judged(&case), expected);
    let short = heard("a light wind from the west. Thank you.", &OpenedBy::FollowUp, (&at, 4000), &said);
    assert_eq!(verdict(&short), JudgeVerdict::Echo, "two words may be misheard echo");
    let after_wake = JudgeInput { opened_by: &wake(), ..case };
    assert_eq!(verdict(&after_wake), JudgeVerdict::Addressed("And what about Sunday?".into()));
}

#[test]
fn words_of_hers_in_a_persons_sentence_stay_in_it() {
    let at = At::new();
    let said = [at.said("The light in the kitchen is on, shall I turn it off?", 0, 3000)];
    let text = "the light in the kitchen should stay on until I go to bed";
    let long = Evidence { voiced: Duration::from_secs(3), ..CLEAR };
    let case = JudgeInput { evidence: &long, ..heard(text, &OpenedBy::FollowUp, (&at, 4000), &said) };
    assert_eq!(verdict(&case), JudgeVerdict::FollowUp(text.into()));
}

#[test]
fn what_the_sound_does_not_support_is_ignored_with_its_reason() {
    let at = At::new();
    let weak = Evidence { no_speech: 0.99, ..CLEAR };
    let case = JudgeInput { evidence: &weak, ..heard("what time is it", &OpenedBy::FollowUp, (&at, 0), &[]) };
    let expected = Judgement { verdict: JudgeVerdict::Ignore, reason: "probably no speech (0.99)".into() };
    assert_eq!(judged(&case), expected);
}

#[test]
fn an_echo_of_a_known_invention_is_an_echo_first() {
    let at = At::new();
    let said = [at.said("Thank you very much.", 0, 1200)];
    let case = heard("Thank you very much.", &OpenedBy::FollowUp, (&at, 1000), &said);
    assert_eq!(verdict(&case), JudgeVerdict::Echo);
}

fn anything() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,80}",
        "((stop|the|bus|quiet|enough|it|is|22.5|°C|9:05|wind|west|light|please|thank|you)[ ,.!?]{1,2}){0,14}",
    ]
}

fn opened() -> impl Strategy<Value = OpenedBy> {
    prop_oneof![Just(wake()), Just(OpenedBy::Request), Just(OpenedBy::FollowUp), Just(OpenedBy::Interjection)]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    (0_u64..20_000, any::<[f32; 5]>(), any::<bool>()).prop_map(
        |(voiced, [voice, no_speech, mean_logprob, voice_db, quiet_db], ran_away)| Evidence {
            voiced: Duration::from_millis(voiced),
            voice,
            no_speech,
            mean_logprob,
            ran_away,
            voice_db,
            quiet_db,
        },
    )
}

proptest! {
    #[test]
    fn every_case_has_one_verdict_with_a_reason_and_the_answered_text_is_the_end_of_what_was_heard(
        text in anything(),
        opened_by in opened(),
        evidence in evidence(),
        times in (0_u64..9000, 0_u64..9000, 0_u64..9000, 0_u64..9000),
        sentences in proptest::collection::vec(anything(), 0..3),
    ) {
        let at = At::new();
        let (began, ended, from, until) = times;
        let said: Vec<SpokenSentence> = sentences.iter().map(|text| at.said(text, from, until)).collect();
        let case = JudgeInput {
            evidence: &evidence,
            ended: at.ms(ended),
            ..heard(&text, &opened_by, (&at, began), &said)
        };
        let judgement = judged(&case);
        prop_assert!(!judgement.reason.is_empty());
        let (JudgeVerdict::FollowUp(answered) | JudgeVerdict::Addressed(answered)) = &judgement.verdict else { return Ok(()) };
        let all: Vec<&str> = text.split_whitespace().collect();
        let end: Vec<&str> = answered.split_whitespace().collect();
        prop_assert!(!end.is_empty() && all.ends_with(&end), "{answered:?} of {text:?}");
        prop_assert_ne!(&opened_by, &OpenedBy::Interjection);
    }

    #[test]
    fn nothing_is_both_a_follow_up_and_an_echo(
        text in anything(),
        sentence in anything(),
        began in 0_u64..9000,
        is_hers in any::<bool>(),
    ) {
        let at = At::new();
        let said = [at.said(if is_hers { &text } else { &sentence }, 0, 4000)];
        let case = heard(&text, &OpenedBy::FollowUp, (&at, began), &said);
        let config = JudgeConfig::default();
        if let JudgeVerdict::FollowUp(answered) = verdict(&case) {
            let words = joi_language::testing::english().vocabulary();
            let rules = JudgeRules { trust: &TranscriptFilterConfig::default(), config: &config, words };
            let again = likeness(&plain_words::plain(&answered, &words.figures), &case, &rules);
            prop_assert!(again.whole < config.echo_likeness, "{answered:?}: {again:?}");
        }
    }

    #[test]
    fn any_part_of_what_she_is_saying_is_never_a_turn(from in 0_usize..14, len in 1_usize..14) {
        let at = At::new();
        let words: Vec<&str> = WEATHER.split_whitespace().collect();
        let from = from.min(words.len() - 1);
        let part = words[from..(from + len).min(words.len())].join(" ");
        prop_assume!(!plain_words(&part, joi_language::testing::english().vocabulary()).is_empty());
        let said = [at.said(WEATHER, 0, 5000)];
        let case = JudgeInput { ended: at.ms(5200), ..heard(&part, &OpenedBy::FollowUp, (&at, 100), &said) };
        prop_assert_eq!(verdict(&case), JudgeVerdict::Echo, "{}", part);
    }
}
