//! A conversation goes on without the wake phrase, and ends when it is over. Over files, with the real
//! ears and the real voice; the model's words are scripted.

use joi_audio::{RATE, write_wav};
use serde_json::Value;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::Home;
use crate::support::speech::{flite, pause, plain, questions};

/// What became of a recording.
struct Talk {
    home: Home,
    turns: Vec<Value>,
}

impl Talk {
    /// Plays the parts to joi's one after the other.
    fn of(home: Home, parts: &[Vec<f32>], flags: &[&str]) -> Self {
        let (wav, out) = (home.arg("talk.wav"), home.arg("answers.wav"));
        write_wav(&wav, RATE, &parts.concat()).expect("a recording");
        let ran = home.joi(&[&["hear", "--json", "--wav", &wav, "--out", &out], flags].concat()).well();
        let turns = ran.out.lines().map(|line| serde_json::from_str(line).expect("a turn")).collect();
        Self { home, turns }
    }

    fn heard(&self) -> Vec<String> {
        self.turns.iter().map(|turn| plain(turn["heard"].as_str().expect("words"))).collect()
    }

    /// What the stage has decided about a turn, with its reason.
    fn decided(&self, turn: usize, stage: &str) -> (String, String) {
        let decisions = self.turns[turn]["decisions"].as_array().expect("decisions");
        let of = |d: &&Value| d["stage"] == stage;
        let text = |v: &Value| v.as_str().expect("words").to_owned();
        decisions.iter().rfind(of).map(|d| (text(&d["verdict"]), text(&d["reason"]))).expect("a decision")
    }

    /// What joi said, by joi's own ears.
    fn spoken(&self) -> String {
        plain(&self.home.joi(&["listen", "--wav", &self.home.arg("answers.wav")]).well().out)
    }
}

fn called() -> Vec<f32> {
    [pause(1.5), flite("awb", "hey jarvis, what time is it?")].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_answer_one_need_not_call_her_by_name() {
    let double = Double::start().await;
    double.when("sky", vec![Script::words("It is blue.")]);
    let home = Home::with_model_server(&double.url);
    let question = flite("awb", "and why is the sky blue?");
    let talk = Talk::of(home, &[called(), pause(2.2), question, pause(6.0)], &[]);
    assert_eq!(talk.heard().len(), 2, "{:?}", talk.heard());
    assert!(talk.heard()[1].contains("sky"), "{:?}", talk.heard());
    assert_eq!(talk.decided(0, "judge").0, "addressed");
    assert_eq!(talk.decided(1, "judge").0, "follow-up");
    let marks = talk.turns[1]["marks"].as_array().expect("marks");
    assert!(marks.iter().all(|mark| mark["stage"] != "wake"), "{marks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_too_late_or_after_a_good_bye_is_not_for_her() {
    let double = Double::start().await;
    let late = [called(), pause(5.5), flite("awb", "why is the sky blue?"), pause(5.0)];
    let talk = Talk::of(Home::with_model_server(&double.url), &late, &[]);
    assert_eq!(talk.heard(), ["what time is it"], "the window is closed");

    let over = [
        called(),
        pause(2.0),
        flite("awb", "thank you very much."),
        pause(2.0),
        flite("awb", "why is the sky blue?"),
        pause(5.0),
    ];
    let talk = Talk::of(Home::with_model_server(&double.url), &over, &[]);
    assert_eq!(talk.heard(), ["what time is it", "thank you very much"], "a good-bye ends it");
    assert_eq!(talk.decided(1, "intents").0, "Thanks");
    let asked = double.chats().iter().any(|chat| chat["messages"].to_string().contains("sky"));
    assert!(!asked, "the model never heard of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follow_up_may_be_forbidden() {
    let double = Double::start().await;
    let mut home = Home::with_model_server(&double.url);
    home.set("conversation.follow_up_s=0");
    let talk = Talk::of(home, &[called(), pause(2.0), flite("awb", "why is the sky blue?"), pause(5.0)], &[]);
    assert_eq!(talk.heard(), ["what time is it"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_pauses_and_goes_on_when_it_is_wanted() {
    let first = "The sky is blue because the air scatters blue light more than red light. ";
    let rest = "At sunset the light has a longer way. And that is the story of the pineapple.";
    let double = Double::start().await;
    double.when("sky", vec![Script::words(&format!("{first}{rest}"))]);
    double.when("moon", vec![Script::words("It is grey.")]);
    let parts = |reply: &str| {
        [
            [pause(1.0), questions()[1].clone(), pause(2.5)].concat(),
            [flite("awb", reply), pause(2.5)].concat(),
            [flite("awb", "and the moon?"), pause(7.0)].concat(),
        ]
    };
    let mut home = Home::with_model_server(&double.url);
    home.set("conversation.go_on_s=3");
    let talk = Talk::of(home, &parts("Yes, please go on."), &[]);
    assert_eq!(talk.turns.len(), 3, "{:?}", talk.heard());
    assert_eq!(talk.turns[0]["reply"], first.trim());
    assert_eq!(talk.turns[1]["reply"], rest);
    assert_eq!(talk.decided(1, "intents").0, "go on");
    let spoken = talk.spoken();
    assert!(spoken.contains("go on") && spoken.contains("pineapple"), "{spoken}");
    let chats = double.chats();
    let history = chats.last().expect("the last question")["messages"].to_string();
    assert!(history.contains("pineapple"), "all of it was heard: {history}");

    let mut home = Home::with_model_server(&double.url);
    home.set("conversation.go_on_s=3");
    double.when("sky", vec![Script::words(&format!("{first}{rest}"))]);
    double.when("moon", vec![Script::words("It is grey.")]);
    let talk = Talk::of(home, &parts("No, that is enough, thank you."), &[]);
    assert_eq!(
        (&talk.turns[1]["reply"], talk.decided(1, "intents").0),
        (&"All right.".into(), "leave it".into())
    );
    let spoken = talk.spoken();
    assert!(!spoken.contains("pineapple"), "nobody wanted to hear it: {spoken}");
    let asked = double.chats().iter().any(|chat| chat["messages"].to_string().contains("enough"));
    assert!(!asked, "the model never heard of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_word_stop_silences_her_and_only_what_was_heard_is_remembered() {
    let double = Double::start().await;
    let answer = "Blue light is scattered by the air far more than red light is. It comes from every side, and so the \
        whole day looks blue. In the evening its way is longer, and what is left of it is orange. On the moon there is \
        no air, and the day there is black. Dust and drops of water scatter every colour alike, and clouds are white. \
        High mountains have less air above them, and their sky is darker.";
    double.when("sky", vec![Script::words(&format!("{answer} And so on to the pineapple."))]);
    let question = questions()[1].clone();
    let parts = [pause(1.0), question, pause(9.0), flite("rms", "stop."), pause(4.0)];
    let mut home = Home::with_model_server(&double.url);
    home.set("reply.spoken_sentences=50").set("reply.spoken_words=500");
    let talk = Talk::of(home, &parts, &["--realtime"]);
    assert_eq!(talk.turns.len(), 1, "{:?}", talk.heard());
    let (verdict, reason) = talk.decided(0, "flow");
    assert!(
        verdict == "stopped" && reason.starts_with("she was told to stop: ") && reason.contains("; silent "),
        "{reason}"
    );
    let reply = talk.turns[0]["reply"].as_str().expect("words");
    assert!(answer.starts_with(reply) && reply.len() < answer.len() - 60, "only what was heard: {reply:?}");
    let spoken = talk.spoken();
    assert!(spoken.contains("blue light is scattered") && !spoken.contains("pineapple"), "{spoken}");
}
