//! The wake phrases, for the page: which there are, and whether they are listened for.
//!
//! In: the phrases as they were at the start, those that are stored now, the one that is being recorded. Out: views.

use super::host::RunningHost;
use crate::app::WakeSetup;
use joi_hear::enrol::TAKES;
use joi_hear::score::ACCEPT;
use joi_hear::wake::{PhraseBook, SavedPhrase, WakeMode, WakePhrase};
use joi_page::{PageFault, PhraseMeans, PhraseReadiness, PhraseView, WakeDeed, WakeHost, WakeView};

impl WakeHost for RunningHost {
    async fn wake(&self) -> Result<WakeView, PageFault> {
        let file = PhraseBook::file(&self.paths.data);
        let read = tokio::task::spawn_blocking(move || PhraseBook::read(&file)).await;
        // One that can't be read is reported by the start, and the section is shown without it.
        let book = read.map_err(PageFault::of)?.unwrap_or_default();
        let phrases = phrases(&self.sound.wake, &book, &self.config.hear.wake.phrases);
        let takes = (*TAKES.start(), *TAKES.end());
        Ok(WakeView { phrases, enrolment: self.enrolment.shown(), takes })
    }

    async fn change_wake(&self, deed: WakeDeed) -> Result<(), PageFault> {
        self.enrolment.order(deed).await
    }
}

fn is(phrase: &WakePhrase, name: &str) -> bool {
    phrase.name.to_lowercase() == name.to_lowercase()
}

/// Returns the phrases that run, then those that will from the next start.
fn phrases(running: &WakeSetup, book: &PhraseBook, configured: &[WakePhrase]) -> Vec<PhraseView> {
    let is_configured = |name: &str| configured.iter().any(|phrase| is(phrase, name));
    let heard: Vec<&str> = running.heard().map(|phrase| phrase.name.as_str()).collect();
    let view = |name: &str, counts_from: f32, readiness| {
        let kept = book.get(&name.to_lowercase());
        let voices = kept.map(|kept| &kept.voices[..]).unwrap_or_default();
        PhraseView {
            name: name.to_owned(),
            readiness,
            counts_from,
            voices: voices.iter().map(|voice| (voice.user.clone(), voice.margin)).collect(),
            is_added: !is_configured(name),
        }
    };
    let runs = running.phrases.iter().map(|phrase| {
        let is_kept = is_configured(&phrase.name) || book.get(&phrase.name.to_lowercase()).is_some();
        let readiness = match (is_kept, heard.contains(&phrase.name.as_str())) {
            (false, _) => PhraseReadiness::UntilNext,
            (true, true) => PhraseReadiness::Ready(means(running, phrase)),
            (true, false) => PhraseReadiness::TooSlow(running.why.clone()),
        };
        view(&phrase.name, phrase.margin.unwrap_or(ACCEPT), readiness)
    });
    let is_new = |kept: &&SavedPhrase| !running.phrases.iter().any(|phrase| is(phrase, &kept.name));
    let new = book.phrases.iter().filter(is_new);
    runs.chain(new.map(|kept| view(&kept.name, kept.asked(), PhraseReadiness::NextStart))).collect()
}

/// Returns what a phrase that is heard is known by.
fn means(running: &WakeSetup, phrase: &WakePhrase) -> PhraseMeans {
    match (phrase.stock().is_some(), running.mode == WakeMode::Scored) {
        (true, true) => PhraseMeans::Both,
        (true, false) => PhraseMeans::Model,
        (false, true) => PhraseMeans::Scorer,
        (false, false) => PhraseMeans::Recordings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_hear::wake::Enrolled;

    fn setup(mode: WakeMode, names: &[&str]) -> WakeSetup {
        let phrases = names.iter().map(|name| WakePhrase::new(*name)).collect();
        WakeSetup { mode, why: "scoring takes 900 ms".into(), phrases, spares: false, learnt: Vec::new() }
    }

    #[test]
    fn each_phrase_says_whether_it_is_listened_for_and_why_not() {
        let owner = Enrolled { user: "owner".into(), margin: -2.8, takes: 6, templates: None };
        let luna = SavedPhrase { voices: vec![owner], ..SavedPhrase::new("hey luna") };
        let book = PhraseBook { phrases: vec![luna, SavedPhrase::new("hey nova")] };
        let configured = [WakePhrase::new("hey jarvis")];
        let all = |mode| {
            let running = setup(mode, &["hey jarvis", "hey luna", "good morning"]);
            let views = phrases(&running, &book, &configured);
            views.into_iter().map(|view| (view.name, view.readiness, view.is_added)).collect::<Vec<_>>()
        };
        let named = |name: &str, readiness, is_added| (name.to_owned(), readiness, is_added);
        use PhraseReadiness::{NextStart, Ready, TooSlow, UntilNext};
        assert_eq!(
            all(WakeMode::Scored),
            [
                named("hey jarvis", Ready(PhraseMeans::Both), false),
                named("hey luna", Ready(PhraseMeans::Scorer), true),
                named("good morning", UntilNext, true),
                named("hey nova", NextStart, true),
            ]
        );
        let stock = all(WakeMode::Stock);
        assert_eq!(stock[0].1, Ready(PhraseMeans::Model));
        assert_eq!(stock[1].1, TooSlow("scoring takes 900 ms".into()));
        let views = phrases(&setup(WakeMode::Scored, &["hey luna"]), &book, &configured);
        assert_eq!(views[0].voices, [("owner".to_owned(), -2.8)]);
    }
}
