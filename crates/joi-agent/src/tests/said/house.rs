//! The family's house on paper: it takes commands, follows them at once and records them. No network.

use std::sync::{Arc, LazyLock, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;

use joi_home::house::{House, HouseRules, ItemKind, ItemState, Ordered, TagVocabulary, read};
use joi_home::{Home, HomeFault, HomeLink, HomeView, SendFault};

use super::sentences::{quoted, tokens};

const FAMILY: [(&str, &str); 2] = [
    ("en", include_str!("../../../../../tests/data/homes/family.en.json")),
    ("de", include_str!("../../../../../tests/data/homes/family.de.json")),
];
const TAGS: [&str; 2] = [
    include_str!("../../../../../tests/data/openhab/5.2.1/tags.json"),
    include_str!("../../../../../tests/data/openhab/5.2.1/tags_de.json"),
];

static VOCABULARY: LazyLock<TagVocabulary> = LazyLock::new(|| {
    let mut vocabulary = TagVocabulary::default();
    for tags in TAGS {
        vocabulary.add(&serde_json::from_str::<Vec<_>>(tags).unwrap());
    }
    vocabulary
});

/// A house that follows every command at once.
pub(super) struct PaperHouse {
    view: watch::Sender<HomeView>,
    sent: Mutex<Vec<String>>,
}

impl PaperHouse {
    /// The family's house in a language, with the items and states of a scene.
    pub(super) fn new(code: &str, scene: &[&str]) -> Self {
        let (_, family) = FAMILY.iter().find(|(of, _)| *of == code).unwrap();
        let mut rows: Vec<Value> = serde_json::from_str(family).unwrap();
        for entry in scene {
            change(&mut rows, entry);
        }
        let (items, unread) = read::items(rows);
        assert_eq!(unread, []);
        let house = House::new(items, &VOCABULARY, &HouseRules::default());
        let link = HomeLink::Up { version: "5.2.1".into() };
        Self { view: watch::Sender::new(HomeView { house, link }), sent: Mutex::default() }
    }

    /// All commands so far as `Item=CMD`, by item.
    pub(super) fn sent(&self) -> Vec<String> {
        let mut sent = self.sent.lock().unwrap().clone();
        sent.sort();
        sent
    }

    /// The house as it is.
    pub(super) fn house(&self) -> House {
        self.view.borrow().house.clone()
    }
}

/// Changes the rows of items by `Item=STATE` or `item NAME "Label" like ITEM = STATE`; other entries are none of it.
fn change(rows: &mut Vec<Value>, entry: &str) {
    let tokens = tokens(entry);
    let is_item = |name: &str, row: &Value| row["name"] == name;
    match &tokens[..] {
        [word, name, label, _, like, _, state] if word == "item" => {
            let mut row = rows.iter().find(|row| is_item(like, row)).unwrap().clone();
            row["name"] = name.as_str().into();
            row["label"] = quoted(label).unwrap().into();
            row["state"] = state.as_str().into();
            row["metadata"].as_object_mut().unwrap().remove("synonyms");
            rows.push(row);
        }
        [word, name, at] if word == "person" => rows.push(json!({
            "name": name, "type": "Switch", "label": name, "state": if at == "home" { "ON" } else { "OFF" },
            "tags": [], "groupNames": [],
            "metadata": { "semantics": { "value": "Point_Status", "config": { "relatesTo": "Property_Presence" } } },
        })),
        [assigned] => {
            if let Some((name, state)) = assigned.split_once('=') {
                let row = rows.iter_mut().find(|row| is_item(name, row)).unwrap();
                row["state"] = state.into();
            }
        }
        _ => {}
    }
}

/// Returns the state of an item of `kind` after a command; nothing where it has no effect on it.
fn after(text: &str, kind: &ItemKind) -> Option<String> {
    let state = match (text, kind.acts_as()) {
        ("STOP" | "MOVE" | "NEXT" | "PREVIOUS", _) => return None,
        ("UP", _) => "0",
        ("DOWN", _) => "100",
        ("ON", ItemKind::Dimmer) => "100",
        ("OFF", ItemKind::Dimmer) => "0",
        ("ON", ItemKind::Colour) => "0,0,100",
        ("OFF", ItemKind::Colour) => "0,0,0",
        (level, ItemKind::Colour) if !level.contains(',') => return Some(format!("0,0,{level}")),
        _ => text,
    };
    Some(state.to_owned())
}

impl Home for PaperHouse {
    fn watch(&self) -> watch::Receiver<HomeView> {
        self.view.subscribe()
    }

    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>> {
        self.sent.lock().unwrap().push(format!("{}={}", ordered.item, ordered.text));
        self.view.send_modify(|view| {
            let kind = view.house.item(&ordered.item).unwrap().kind.clone();
            if let Some(text) = after(&ordered.text, &kind) {
                let state = ItemState::read(&text, &kind);
                view.house = view.house.with_states([(ordered.item.as_str(), state)]);
            }
        });
        std::future::ready(Ok(())).boxed()
    }

    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>> {
        std::future::ready(Ok(self.house().item(item).unwrap().state.clone())).boxed()
    }
}

/// Shared by the program and the test.
pub(super) type SharedHouse = Arc<PaperHouse>;
