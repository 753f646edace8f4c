//! Now: the state, what is heard and answered as it comes, and the controls.
//!
//! In: how the program is, forms. Out: HTML that the script of the page keeps up to date, and what came of a form.

use joi_base::message::Private;
use joi_language::fill;
use joi_language::page::NowWords;
use maud::{Markup, html};

use super::deed::RoomDeed;
use super::room::PageRoom;
use crate::LiveFeed;
use crate::form::FormFields;
use crate::host::{DeviceView, PageFault};
use crate::look::{BadgeTone, Look, RoomSign, badge, section, sentence};
use crate::notice::PageNotice;
use crate::views::NowView;

/// A microphone, in a square of 24.
const MICROPHONE: &str = "M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M5 11a7 7 0 0 0 14 0M12 18v3";
/// Characters of the longest text that is taken.
const LONGEST_TEXT: usize = 2_000;

/// Returns the name of a state.
pub(crate) fn state_label<'w>(state: &str, words: &'w NowWords) -> &'w str {
    match state {
        "starting" => &words.starting,
        "listening" => &words.listening,
        "thinking" => &words.thinking,
        "speaking" => &words.speaking,
        "timer" => &words.timer,
        "muted" => &words.muted,
        "error" => &words.error,
        _ => &words.idle,
    }
}

/// What this room needs of the program.
pub trait NowHost: Send + Sync + 'static {
    /// Returns how it is.
    fn now(&self) -> NowView;

    /// Returns the events from here on.
    fn live(&self) -> LiveFeed;

    /// Returns the level of the microphone in dBFS; nothing where it is closed or switched off.
    fn level_db(&self) -> Option<f32>;

    /// Asks what the owner typed. The answer comes as events.
    ///
    /// # Errors
    /// Too much waits already.
    fn ask(&self, text: Private<String>) -> Result<(), PageFault>;

    /// Returns the words in what was said into the microphone of a browser: mono at 16 kHz, half a minute at most.
    ///
    /// # Errors
    /// There are none, or nothing transcribes now.
    fn understand(
        &self,
        samples: Vec<f32>,
    ) -> impl Future<Output = Result<Private<String>, PageFault>> + Send;

    /// Switches the microphone off or on.
    fn set_mute(&self, is_muted: bool) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Listens now, without the wake phrase.
    ///
    /// # Errors
    /// The microphone is switched off, or nobody listens yet.
    fn listen(&self) -> Result<(), PageFault>;

    /// Stops what is said, typed or rings.
    fn stop(&self) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Sets the volume, in percent.
    ///
    /// # Errors
    /// There is no speaker.
    fn set_volume(&self, percent: u8) -> Result<(), PageFault>;
}

/// Returns this room.
pub(super) fn room<H: NowHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/",
            place: "thumb",
            icon: "M3 12h3l3-8 5 16 3-8h4",
            title: |words| &words.now.title,
        },
        show: |visit| Box::pin(async move { Ok(show(&visit.host().now(), visit.look)) }),
        act: |action, visit| Box::pin(act(action, visit.host(), visit.look, visit.fields)),
    }
}

/// Returns the page.
pub(super) fn show(now: &NowView, look: &Look) -> Markup {
    html! {
        div class="columns now" {
            div { (state(now, look)) (controls(now, look)) (parts(now, look)) }
            (conversation(now, look))
        }
    }
}

fn state(now: &NowView, look: &Look) -> Markup {
    let words = &look.words.now;
    section(
        "state-title",
        &words.state,
        &html! {
            div id="state" class="state" data-state=(now.state) {
                span class="orb" aria-hidden="true" {}
                div {
                    p class="big" id="state-label" role="status" aria-live="polite" { (state_label(&now.state, words)) }
                    p class="quiet" id="state-note" { (sentence(now.note.as_deref().unwrap_or_default())) }
                }
            }
            label class="meter" { span { (words.level) } meter id="level" min="-60" max="0" value="-60" low="-50" high="-6" optimum="-20" {} }
        },
    )
}

fn controls(now: &NowView, look: &Look) -> Markup {
    let words = &look.words.now;
    let (mute, to) = if now.is_muted { (&words.unmute, "off") } else { (&words.mute, "on") };
    section(
        "controls-title",
        &words.controls,
        &html! {
            div class="row" {
                (look.button("now/listen", "main live", &words.talk, &[]))
                (look.button("now/stop", "live", &words.stop, &[]))
                (look.form("now/mute", "inline live", &html! {
                    input type="hidden" name="muted" value=(to);
                    button type="submit" data-mute=(words.mute) data-unmute=(words.unmute) { (mute) }
                }))
            }
            @if let Some(volume) = now.volume {
                (look.form("now/volume", "row volume live", &html! {
                    label for="volume" { (words.volume) }
                    input id="volume" type="range" name="volume" min="0" max="100" step="5" value=(volume);
                    output for="volume" { (volume) " %" }
                    button type="submit" { (words.set) }
                }))
            }
        },
    )
}

fn parts(now: &NowView, look: &Look) -> Markup {
    let words = &look.words.now;
    section(
        "parts-title",
        &look.words.health.summary,
        &html! {
            dl class="facts" {
                dt { (words.microphone) } dd { (device(&now.microphone, look)) }
                dt { (words.speaker) } dd { (device(&now.speaker, look)) }
                dt { (words.model) } dd { (sentence(&now.model)) }
                @if let Some(house) = &now.house { dt { (words.house) } dd { (house) } }
                @if now.alarms > 0 { dt { (words.alarms) } dd { (badge(BadgeTone::Bad, &now.alarms.to_string())) } }
            }
        },
    )
}

/// Returns how a device is.
pub(crate) fn device(device: &DeviceView, look: &Look) -> Markup {
    match device {
        DeviceView::Pending => html! { span class="quiet" { (look.words.health.not_opened) } },
        DeviceView::Works(name) => html! { (badge(BadgeTone::Good, &look.words.health.good)) " " (name) },
        DeviceView::Fault(why) => {
            html! { (badge(BadgeTone::Bad, &look.words.health.bad)) " " (sentence(why)) }
        }
    }
}

fn conversation(now: &NowView, look: &Look) -> Markup {
    let words = &look.words.now;
    let title = fill(&words.r#type, &[("name", &now.name)]);
    html! {
        section class="card talk" aria-labelledby="talk-title" {
            h2 id="talk-title" { (words.conversation) }
            div id="talk" class="log" role="log" aria-live="polite" aria-labelledby="talk-title" tabindex="0"
                data-name=(now.name) data-typed=(words.typed) data-said=(words.said) {
                p class="quiet" id="talk-empty" { (words.empty) }
            }
            (look.form("now/ask", "ask live", &html! {
                label class="hidden" for="text" { (title) }
                input id="text" name="text" maxlength=(LONGEST_TEXT) required autocomplete="off" enterkeyhint="send"
                    placeholder=(title);
                button class="main" type="submit" { (words.send) }
            }))
            (hold_to_talk(words))
        }
    }
}

/// Returns the button of push to talk, which is shown by the script: without it, it could do nothing.
fn hold_to_talk(words: &NowWords) -> Markup {
    html! {
        div id="hold" class="hold" hidden {
            button id="hold-button" type="button" aria-describedby="hold-note"
                data-idle=(words.hold) data-opening=(words.hold_opening) data-speak=(words.hold_speak)
                data-sending=(words.hold_sending) {
                svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" { path d=(MICROPHONE) {} }
                span { (words.hold) }
            }
            p id="hold-note" class="quiet" data-insecure=(words.hold_insecure) data-missing=(words.hold_missing)
                data-refused=(words.hold_refused) data-short=(words.hold_short) { (words.hold_note) }
        }
    }
}

/// Does what a form asks for.
pub(super) async fn act<H: NowHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let words = &look.words.now;
    let (done, text) = match action {
        "listen" => (host.listen(), &words.listens),
        "stop" => (host.stop().await, &words.stopped),
        "mute" => {
            let is_muted = form.text("muted") == "on";
            (host.set_mute(is_muted).await, if is_muted { &words.muted_now } else { &words.unmuted_now })
        }
        "volume" => {
            let percent = form.number::<u8>("volume").filter(|percent| *percent <= 100);
            let set = percent.map_or(Err(PageFault::NotYet), |percent| host.set_volume(percent));
            (set, &words.volume)
        }
        "ask" => {
            let text: String = form.text("text").chars().take(LONGEST_TEXT).collect();
            let asked = if text.is_empty() { Ok(()) } else { host.ask(Private(text)) };
            (asked, &words.send)
        }
        _ => return None,
    };
    let notice = match done {
        Ok(()) if matches!(action, "ask") => PageNotice::done(""),
        Ok(()) if action == "volume" => PageNotice::done(format!("{text}: {} %", form.text("volume"))),
        Ok(()) => PageNotice::done(text.clone()),
        Err(fault) => PageNotice::fault(fault, &look.words),
    };
    Some(notice.into())
}
