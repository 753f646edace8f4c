//! The configuration, for the page: every key with its meaning and value, and one changed in the file.
//!
//! In: what runs, the file as it was at the start and as it is. Out: views, and a file that the next start accepts. Blocks on
//! a thread of its own.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use toml::{Table, Value};

use super::host::RunningHost;
use crate::config::{self, Config, DocumentedKey, edit};
use joi_base::durable;
use joi_page::{KeyOrigin, KeyView, PageFault, SettingsHost, SettingsSection, SettingsView};

type KeyValues = BTreeMap<String, Value>;

impl SettingsHost for RunningHost {
    async fn settings(&self) -> Result<SettingsView, PageFault> {
        let (config, file, at_start) =
            (self.config.clone(), self.paths.config.clone(), self.file_at_start.clone());
        let view = move || view(&config, &at_start, &values(&text_of(&file)?), &file);
        tokio::task::spawn_blocking(view).await.map_err(PageFault::of)?
    }

    async fn check_key(&self, key: &str, typed: &str) -> Result<(), PageFault> {
        let (file, key, typed) = (self.paths.config.clone(), key.to_owned(), typed.to_owned());
        let check = move || {
            edit::edited(&text_of(&file)?, &file, &key, Some(&typed)).map(drop).map_err(PageFault::of)
        };
        tokio::task::spawn_blocking(check).await.map_err(PageFault::of)?
    }

    async fn set_key(&self, key: &str, typed: Option<&str>) -> Result<(), PageFault> {
        let (file, key, typed) = (self.paths.config.clone(), key.to_owned(), typed.map(str::to_owned));
        // One change after the other.
        let _writing = self.writing.lock().await;
        let write = move || write(&file, &key, typed.as_deref());
        tokio::task::spawn_blocking(write).await.map_err(PageFault::of)?
    }
}

/// Returns the text of the file; "" where there is none.
pub(super) fn text_of(file: &Path) -> Result<String, PageFault> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(PageFault::of(format!("can't read {}: {error}", file.display()))),
    }
}

/// Returns the values in a text, those of a text that is no TOML left out.
pub(super) fn values(text: &str) -> KeyValues {
    text.parse::<Table>().map(|table| config::leaves(&table)).unwrap_or_default()
}

fn write(file: &Path, key: &str, typed: Option<&str>) -> Result<(), PageFault> {
    let edited = edit::edited(&text_of(file)?, file, key, typed).map_err(PageFault::of)?;
    let unwritable = |error: io::Error| PageFault::of(format!("can't write {}: {error}", file.display()));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    // Whoever may read the old one may read the new one.
    let permissions = std::fs::metadata(file).ok().map(|about| about.permissions());
    durable::write(file, edited.as_bytes(), permissions).map_err(unwritable)
}

fn view(
    config: &Config,
    at_start: &KeyValues,
    now: &KeyValues,
    file: &Path,
) -> Result<SettingsView, PageFault> {
    let running = config::leaves(&Table::try_from(config).map_err(PageFault::of)?);
    let mut sections: Vec<SettingsSection> = Vec::new();
    for known in config::documented() {
        let key = key(&known, &running, at_start, now);
        match sections.last_mut().filter(|section| section.name == known.section) {
            Some(section) => section.keys.push(key),
            None => sections.push(SettingsSection { name: known.section, keys: vec![key] }),
        }
    }
    Ok(SettingsView { file: file.display().to_string(), sections })
}

fn key(known: &DocumentedKey, running: &KeyValues, at_start: &KeyValues, now: &KeyValues) -> KeyView {
    let of = |values: &KeyValues| edit::typed(values.get(&known.key).unwrap_or(&known.default));
    let (value, started, next) = (of(running), of(at_start), of(now));
    let is_elsewhere = value != started;
    let origin = match (is_elsewhere, now.contains_key(&known.key)) {
        (true, _) => KeyOrigin::Elsewhere,
        (false, true) => KeyOrigin::File,
        (false, false) => KeyOrigin::Default,
    };
    KeyView {
        key: known.key.clone(),
        about: known.about.clone(),
        next: Some(next.clone()).filter(|next| !is_elsewhere && *next != started),
        value,
        default: edit::typed(&known.default),
        choices: edit::choices(&known.key, &known.default),
        origin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_shows_where_it_comes_from_and_what_the_next_start_will_use() {
        let text = "[hear.endpoint]\npatience = \"quick\"\n[timers]\nsnooze_min = 7\n";
        let given = config::Override::from_flag("llm.model=tiny").unwrap();
        let config = config::load_text(text, "test", &[given]).unwrap().config;
        let changed = values(&text.replace("quick", "relaxed"));
        let view = view(&config, &values(text), &changed, Path::new("/x.toml")).unwrap();
        let of = |name: &str| view.sections.iter().flat_map(|s| &s.keys).find(|key| key.key == name).unwrap();
        let patience = of("hear.endpoint.patience");
        assert_eq!((patience.value.as_str(), patience.next.as_deref()), ("quick", Some("relaxed")));
        assert_eq!((patience.origin, patience.default.as_str()), (KeyOrigin::File, "normal"));
        assert!(patience.choices.contains(&"relaxed".to_owned()));
        assert_eq!(
            (of("timers.snooze_min").origin, of("timers.snooze_min").next.as_deref()),
            (KeyOrigin::File, None)
        );
        assert_eq!((of("llm.model").origin, of("llm.model").value.as_str()), (KeyOrigin::Elsewhere, "tiny"));
        assert_eq!(of("announce.awake").origin, KeyOrigin::Default);
    }
}
