//! A year of made-up diary, and fifty questions whose answers are known.
//!
//! Everything is drawn with a fixed seed. Questions are asked as people ask: other forms of words, other words for the
//! same thing, and time as people tell it. A question counts when a right page is among the first three.

use jiff::{SignedDuration, Zoned};
use joi_agent::memory_question;
use joi_base::message::Private;
use joi_store::{Embedding, MemoryKind, MemoryQuery, NewMemory, Store};

/// Pages of the year.
pub(super) const PAGES: usize = 2_000;
const PEOPLE: [&str; 30] = [
    "Ann", "Bob", "Clara", "Dieter", "Eva", "Franz", "Greta", "Hugo", "Ines", "Jonas", "Klara", "Leo", "Mia",
    "Nora", "Otto", "Paula", "Quentin", "Rosa", "Simon", "Tina", "Ulrich", "Vera", "Walter", "Xenia",
    "Yvonne", "Zoe", "Adam", "Berta", "Carl", "Doris",
];
const TOWNS: [&str; 30] = [
    "Graz", "Linz", "Vienna", "Salzburg", "Rome", "Paris", "Berlin", "Prague", "Munich", "Zurich", "Venice",
    "Milan", "Hamburg", "Dresden", "Lisbon", "Porto", "Madrid", "Seville", "Oslo", "Bergen", "Dublin",
    "Cork", "London", "York", "Athens", "Naples", "Turin", "Basel", "Bern", "Ghent",
];
const DISHES: [&str; 20] = [
    "lentil soup",
    "goulash",
    "risotto",
    "pancakes",
    "lasagne",
    "dumplings",
    "curry",
    "paella",
    "ratatouille",
    "chili",
    "moussaka",
    "gnocchi",
    "strudel",
    "tiramisu",
    "couscous",
    "falafel",
    "quiche",
    "ramen",
    "sushi",
    "fondue",
];
const THINGS: [&str; 20] = [
    "bicycle",
    "washing machine",
    "dishwasher",
    "laptop",
    "boiler",
    "radio",
    "camera",
    "lawn mower",
    "sewing machine",
    "piano",
    "printer",
    "toaster",
    "clock",
    "umbrella",
    "armchair",
    "telescope",
    "guitar",
    "kettle",
    "car",
    "heater",
];
const PLANTS: [&str; 20] = [
    "tomatoes",
    "lavender",
    "roses",
    "basil",
    "tulips",
    "pumpkins",
    "beans",
    "carrots",
    "strawberries",
    "sunflowers",
    "garlic",
    "leeks",
    "peonies",
    "dahlias",
    "radishes",
    "chard",
    "thyme",
    "cucumbers",
    "raspberries",
    "ivy",
];
const TITLES: [&str; 20] = [
    "Casablanca",
    "Metropolis",
    "Vertigo",
    "Amadeus",
    "Solaris",
    "Nosferatu",
    "Alien",
    "Gilda",
    "Rebecca",
    "Chinatown",
    "Fargo",
    "Heat",
    "Jaws",
    "Laura",
    "Manhattan",
    "Notorious",
    "Persona",
    "Psycho",
    "Ran",
    "Stalker",
];

/// What a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    kind: usize,
    who: &'static str,
    what: &'static str,
    day: i64,
}

/// Numbers that are the same every time.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn pages() -> Vec<Page> {
    let mut seeded = Seeded(2_026);
    (0..PAGES)
        .map(|number| {
            let kind = seeded.below(6);
            let list: &[&'static str] = match kind {
                0 | 5 => &TOWNS,
                1 => &DISHES,
                2 => &THINGS,
                3 => &PLANTS,
                _ => &TITLES,
            };
            let (who, what) = (PEOPLE[seeded.below(PEOPLE.len())], list[seeded.below(list.len())]);
            Page { kind, who, what, day: (number * 364 / PAGES) as i64 + 1 }
        })
        .collect()
}

fn page_text(page: &Page) -> String {
    let Page { who, what, .. } = page;
    match page.kind {
        0 => format!("The user visited {who} in {what} over the weekend, and they walked along the water."),
        1 => format!("The user cooked {what} for {who}. It turned out well, with a little too much salt."),
        2 => format!("The user's {what} broke down, and {who} repaired it. It works again."),
        3 => format!("The user planted {what} in the garden together with {who}, behind the shed."),
        4 => format!("They talked about the film {what}, which the user saw with {who} and liked."),
        _ => format!("The user plans a journey to {what} with {who} and wonders about the train."),
    }
}

/// A question about a page, in one of several wordings.
fn asked(page: &Page, wording: usize) -> String {
    let Page { who, what, .. } = page;
    let either = |one: String, other: String| if wording.is_multiple_of(2) { one } else { other };
    match page.kind {
        0 => either(
            format!("what did I do when I was visiting {who} in {what}?"),
            format!("when was I in {what} to see {who}?"),
        ),
        1 => either(
            format!("how did the {what} turn out that I was cooking for {who}?"),
            format!("what was wrong with the {what} I made {who}?"),
        ),
        2 => either(
            format!("was it {who} who repaired my {what}?"),
            format!("who fixed the {what}, wasn't it {who}?"),
        ),
        3 => either(
            format!("where did I plant the {what} with {who}?"),
            format!("{who} and I put {what} into the ground, where was that?"),
        ),
        4 => either(
            format!("did {who} and I watch {what} together?"),
            format!("how did I like the movie {what} with {who}?"),
        ),
        _ => either(
            format!("am I travelling to {what} with {who}?"),
            format!("what did I say about going to {what} together with {who}?"),
        ),
    }
}

/// How a question is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Words,
    Vectors,
    Both,
}

/// The year in a store, and its questions.
pub(super) struct Year {
    pub(super) store: Store,
    pub(super) now: Zoned,
    pages: Vec<Page>,
}

impl Year {
    /// Its first `count` pages.
    pub(super) async fn of(count: usize) -> Self {
        let now: Zoned = "2026-11-22T14:05:30+01:00[Europe/Vienna]".parse().unwrap();
        let mut pages = pages();
        pages.truncate(count);
        let year = Self { store: Store::in_memory().unwrap(), now, pages };
        let new = |page: &Page| NewMemory {
            kind: MemoryKind::Diary,
            at: year.at(page).timestamp(),
            text: Private(page_text(page)),
            source: "diary".into(),
        };
        year.store.remember(year.pages.iter().map(new).collect()).await.unwrap();
        year
    }

    fn at(&self, page: &Page) -> Zoned {
        self.now.checked_sub(SignedDuration::from_hours(24 * (365 - page.day))).unwrap()
    }

    /// Fifty questions with the page each is about, and whether it tells the month instead of the person, as every
    /// fifth does.
    pub(super) fn questions(&self) -> Vec<(String, &Page, bool)> {
        let mut seeded = Seeded(50);
        let question = |number: usize| {
            let page = &self.pages[seeded.below(self.pages.len())];
            let by_time = number % 5 == 4;
            let question = match by_time {
                true => format!("what about {} in {}?", page.what, self.at(page).strftime("%B")),
                false => asked(page, number),
            };
            (question, page, by_time)
        };
        (0..50).map(question).collect()
    }

    fn is_right(&self, page: &Page, by_time: bool, text: &str) -> bool {
        self.pages.iter().any(|other| {
            let same_time = self.at(other).month() == self.at(page).month();
            let is_meant = other.what == page.what
                && if by_time { same_time } else { other.kind == page.kind && other.who == page.who };
            is_meant && page_text(other) == text
        })
    }

    /// How many questions find a right page among the first three, and those that do not. `vectors` are of the
    /// questions.
    pub(super) async fn found(&self, by: By, vectors: &[Embedding]) -> (usize, Vec<String>) {
        let (mut right, mut missed) = (0, Vec::new());
        for (number, (question, page, by_time)) in self.questions().into_iter().enumerate() {
            let mut search = MemoryQuery { limit: 3, ..memory_question(&question, &self.now) };
            if by != By::Words {
                search.vector = Some(vectors[number].clone());
            }
            if by == By::Vectors {
                search.words.clear();
            }
            let hits = self.store.search(search).await.unwrap();
            match hits.iter().any(|hit| self.is_right(page, by_time, &hit.text.0)) {
                true => right += 1,
                false => missed.push(format!("{question} {:?}", hits.first().map(|hit| hit.text.0.clone()))),
            }
        }
        (right, missed)
    }
}
