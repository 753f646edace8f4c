//! The house: rooms and things, what may be done with each by voice, and what would come of a sentence.
//!
//! In: the house as it is. Out: HTML. Nothing is sent to the house from here.

use maud::{Markup, html};

use super::room::{PageRoom, no_forms};
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section, table};
use crate::views::{HouseView, RoomView, ThingView, TriedView};

/// What this room needs of the program.
pub trait HouseHost: Send + Sync + 'static {
    /// Returns the house; nothing where none is connected.
    fn house(&self) -> Option<HouseView>;

    /// Returns what would come of a sentence about the house, of which nothing is done; nothing where it is not about it.
    fn try_sentence(&self, text: &str) -> Option<TriedView>;
}

/// Returns this room.
pub(super) fn room<H: HouseHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/house",
            place: "thumb",
            icon: "M3.500 11.500 12 4l8.500 7.500M6 9.500V20h12V9.500M10 20v-5.500h4V20",
            title: |words| &words.house.title,
        },
        show: |visit| Box::pin(async move { Ok(show(visit.host(), visit.look, visit.fields)) }),
        act: no_forms,
    }
}

/// Returns the page.
pub(super) fn show<H: HouseHost>(host: &H, look: &Look, query: &FormFields) -> Markup {
    let words = &look.words.house;
    let Some(house) = host.house() else { return section("none-title", &words.title, &nothing(&words.none)) };
    let asked = query.text("try");
    let tried = if asked.is_empty() { None } else { Some(host.try_sentence(asked)) };
    html! {
        p { (badge(if house.is_up { BadgeTone::Good } else { BadgeTone::Bad }, if house.is_up { &look.words.shell.on } else { &look.words.shell.off })) " " (house.link) }
        (section("try-title", &words.r#try, &html! {
            form method="get" action="/house" class="bar" {
                div class="field" {
                    label for="try" { (words.try_label) }
                    input id="try" name="try" value=(asked) maxlength="300" required placeholder=(words.try_example);
                }
                button class="main" type="submit" { (words.try_button) }
            }
            div role="status" aria-live="polite" { @if let Some(tried) = &tried { (outcome(tried.as_ref(), look)) } }
            p class="quiet" { (words.try_note) }
        }))
        h2 class="apart" { (words.rooms) }
        @for (number, room) in house.rooms.iter().enumerate() { (one_room(number, room, look)) }
        (unmapped(&house, look))
    }
}

fn outcome(tried: Option<&TriedView>, look: &Look) -> Markup {
    let words = &look.words.house;
    html! {
        div class="tried apart" {
            @match tried {
                None => p { (words.not_house) },
                Some(tried) => {
                    @if !tried.commands.is_empty() {
                        p { (words.would) }
                        ul { @for (thing, command) in &tried.commands { li { strong { (thing) } " ← " code { (command) } } } }
                    }
                    @if !tried.says.is_empty() { p { (words.answer) " “" (tried.says) "”" } }
                },
            }
        }
    }
}

fn one_room(number: usize, room: &RoomView, look: &Look) -> Markup {
    let words = &look.words.house;
    let name = if room.name.is_empty() { &words.no_room } else { &room.name };
    let heads = [words.thing.as_str(), &words.state, &words.kind, &words.permission];
    let rows: Vec<Vec<Markup>> = room.things.iter().map(thing).collect();
    html! {
        details class="card" open[number == 0] {
            summary { strong { (name) } " " span class="quiet" { (room.things.len()) } }
            div class="apart" { (table(name, &heads, &rows)) }
        }
    }
}

fn thing(thing: &ThingView) -> Vec<Markup> {
    vec![
        html! {
            strong { (thing.name) } br; code class="quiet" { (thing.id) }
            @if !thing.names.is_empty() { br; span class="quiet" { (thing.names.join(", ")) } }
        },
        html! { (thing.state) },
        html! { (thing.kind) },
        html! { (thing.permission) },
    ]
}

fn unmapped(house: &HouseView, look: &Look) -> Markup {
    let words = &look.words.house;
    html! {
        @if !house.unmapped.is_empty() {
            (section("unmapped-title", &words.unmapped, &html! {
                p class="quiet" { (words.unmapped_about) }
                ul { @for name in &house.unmapped { li { code { (name) } } } }
            }))
        }
    }
}

#[cfg(test)]
mod double {
    use super::*;
    use crate::tests::double::{HostileHost, hostile};

    impl HouseHost for HostileHost {
        fn house(&self) -> Option<HouseView> {
            let thing = ThingView {
                name: hostile(),
                id: hostile(),
                names: vec![hostile()],
                kind: hostile(),
                state: hostile(),
                permission: hostile(),
            };
            let rooms = vec![RoomView { name: hostile(), things: vec![thing] }];
            Some(HouseView { is_up: true, link: hostile(), rooms, unmapped: vec![hostile()] })
        }

        fn try_sentence(&self, text: &str) -> Option<TriedView> {
            Some(TriedView { commands: vec![(hostile(), text.to_owned())], says: hostile() })
        }
    }
}
