//! Which placeholders a sentence of `sentences.toml` may hold.
//!
//! PURE. In: the file as a table. Out: nothing, or what is wrong: the key, the value, and what is allowed. So a slip of
//! the pen shows when the file is read, and not when the sentence is said.

use toml::{Table, Value};

/// Keys and what may stand in them; all other sentences hold nothing.
const ALLOWED: &[(&str, &[&str])] = &[
    ("time.noon", &["hour", "minute", "half"]),
    ("time.midnight", &["hour", "minute", "half"]),
    ("time.full_hour", &["hour", "half"]),
    ("time.clock", &["hour", "minute", "half"]),
    ("time.on_weekday", &["weekday"]),
    ("time.on_date", &["month", "day", "nth"]),
    ("time.every", &["days"]),
    ("time.once", &["day", "time"]),
    ("time.again", &["days", "time"]),
    ("time.after", &["length"]),
    ("time.repeats", &["nth", "days", "day"]),
    ("time.context", &["date", "time", "zone", "place"]),
    ("time.context_date", &["weekday", "month", "day", "nth", "year"]),
    ("schedule.to_do", &["text"]),
    ("schedule.to_do_at", &["text", "at"]),
    ("schedule.set_house", &["when", "text"]),
    ("schedule.house_missed", &["list"]),
    ("schedule.house_failed", &["list"]),
    ("schedule.house_unknown", &["list"]),
    ("schedule.named", &["name", "kind"]),
    ("schedule.foreign_named", &["name", "kind"]),
    ("schedule.to_remind", &["text"]),
    ("schedule.by_length", &["length", "bare", "kind"]),
    ("schedule.by_time", &["time", "kind"]),
    ("schedule.rings", &["time"]),
    ("schedule.rings_named", &["time", "name"]),
    ("schedule.rings_reminder", &["text"]),
    ("schedule.missed", &["list"]),
    ("schedule.was_due", &["the", "called", "at"]),
    ("schedule.set_timer", &["short", "length"]),
    ("schedule.set_alarm", &["short", "when"]),
    ("schedule.set_reminder", &["when", "text"]),
    ("schedule.changed_timer", &["short", "left"]),
    ("schedule.snoozed", &["short", "left"]),
    ("schedule.paused", &["called", "left"]),
    ("schedule.resumed", &["called", "left"]),
    ("schedule.it_stands", &["left"]),
    ("schedule.is_ringing", &["the", "called"]),
    ("schedule.left_on", &["left", "the", "short"]),
    ("schedule.left_until", &["left", "the", "called"]),
    ("schedule.left_each", &["left", "called"]),
    ("schedule.list_ringing", &["called"]),
    ("schedule.list_left", &["called", "left"]),
    ("schedule.list_missed", &["called", "at"]),
    ("schedule.list_more", &["count"]),
    ("schedule.none_of", &["kinds"]),
    ("schedule.cancelled", &["called"]),
    ("schedule.cancelled_reminder", &["called"]),
    ("schedule.cancelled_of", &["count", "kinds"]),
    ("schedule.cancelled_all", &["count"]),
    ("schedule.skipped", &["list", "day"]),
    ("schedule.no_such", &["no"]),
    ("schedule.no_such_name", &["no", "name"]),
    ("schedule.no_such_length", &["no", "length"]),
    ("schedule.no_such_time", &["no"]),
    ("schedule.no_such_day", &["no"]),
    ("schedule.which", &["list"]),
    ("reply.time", &["time"]),
    ("reply.date", &["weekday", "month", "day", "nth", "year"]),
    ("reply.date_of", &["weekday", "month", "day", "nth", "year"]),
    ("reply.date_ahead", &["weekday", "month", "day", "nth", "year", "days"]),
    ("reply.date_was", &["weekday", "month", "day", "nth", "year"]),
    ("reply.rolled", &["number"]),
    ("reply.volume", &["percent"]),
    ("reply.shall_i", &["deed"]),
    ("reply.shall_i_do", &["said"]),
    ("home.missing", &["deed"]),
    ("home.on", &["thing"]),
    ("home.off", &["thing"]),
    ("home.up", &["thing"]),
    ("home.down", &["thing"]),
    ("home.open", &["thing"]),
    ("home.close", &["thing"]),
    ("home.lock", &["thing"]),
    ("home.unlock", &["thing"]),
    ("home.colour", &["thing"]),
    ("home.percent", &["thing", "level"]),
    ("home.degrees", &["thing", "level"]),
    ("memory.remembered", &["about"]),
    ("memory.wished", &["text"]),
    ("memory.nothing_about", &["about"]),
    ("memory.one_thing", &["about"]),
    ("memory.things", &["count", "about"]),
    ("memory.one_thing_set", &["about"]),
    ("memory.things_set", &["count", "about"]),
    ("memory.more", &["count"]),
    ("memory.was_damaged", &["list"]),
    ("memory.lost_at_most", &["lost"]),
    ("memory.lost_timers", &["count"]),
    ("memory.lost_notes", &["count"]),
    ("memory.lost_memories", &["count"]),
    ("memory.lost_messages", &["count"]),
    ("memory.lost_other", &["count"]),
    ("messages.note_too_long", &["length"]),
    ("messages.late", &["at"]),
    ("messages.last", &["time"]),
    ("messages.stale", &["at"]),
    ("tools.added", &["items", "list"]),
    ("tools.listed", &["items", "list"]),
    ("tools.not_listed", &["list"]),
    ("tools.removed", &["items", "list"]),
    ("tools.which_entry", &["items"]),
    ("tools.cleared", &["list"]),
    ("tools.on_notes", &["count", "older", "items"]),
    ("tools.on_list", &["list", "count", "older", "items"]),
    ("tools.list_empty", &["list"]),
    ("tools.lists", &["items"]),
    ("tools.sum", &["value"]),
    ("tools.time_in", &["time", "weekday", "city"]),
    ("tools.time_here", &["time", "weekday"]),
    ("tools.ask_note", &["text"]),
    ("tools.ask_add", &["text", "list"]),
    ("tools.ask_remove", &["text", "list"]),
    ("tools.ask_clear", &["list"]),
    ("tools.ask_read", &["list"]),
    ("tools.ask_calculate", &["text"]),
    ("tools.ask_time", &["city"]),
    ("tools.ask_set", &["kind", "when"]),
    ("tools.ask_set_named", &["kind", "name", "when"]),
    ("tools.ask_remind", &["name", "when"]),
    ("tools.ask_change", &["named", "when"]),
    ("tools.ask_cancel", &["named"]),
    ("tools.ask_cancel_every", &["kind", "kinds"]),
    ("tools.ask_volume", &["percent"]),
    ("tools.ask_remember", &["text"]),
    ("tools.ask_search", &["text"]),
    ("tools.ask_weather", &["place"]),
    ("tools.ask_web", &["text"]),
    ("tools.ask_page", &["url"]),
    ("tools.ask_home_find", &["text"]),
    ("tools.ask_home_read", &["thing"]),
    ("tools.ask_home_command", &["thing", "value"]),
    ("weather.now", &["place", "warmth", "sky"]),
    ("weather.now_and_today", &["place", "warmth", "sky", "day"]),
    ("weather.later", &["place", "when", "day"]),
    ("weather.tomorrow", &["weekday"]),
    ("weather.day", &["low", "high", "sky"]),
    ("weather.rain", &["percent"]),
    ("weather.gusts", &["speed"]),
    ("wind.openings", &["fact"]),
    ("wind.left_open", &["name", "length"]),
    ("wind.too_warm", &["name", "degrees"]),
    ("wind.too_cold", &["name", "degrees"]),
    ("wind.warmth_changed", &["name", "degrees"]),
    ("wind.arrived", &["length"]),
    ("wind.weather_alert", &["text"]),
    ("wind.notice", &["text"]),
    ("wind.quiet_until", &["when"]),
    ("wind.sleep_well", &["when"]),
    ("alert.smoke_alarm", &["name"]),
    ("alert.fire_alarm", &["name"]),
    ("alert.gas_leak", &["name"]),
    ("alert.water_leak", &["name"]),
    ("alert.intrusion_detected", &["name"]),
    ("alert.security_alert", &["name"]),
    ("alert.storm_warning", &["name"]),
    ("alert.flood_warning", &["name"]),
    ("alert.high", &["text"]),
    ("alert.house_lost", &["length"]),
];

/// Whether every sentence holds only what is known where it is said.
pub(super) fn check(sentences: &Table) -> Result<(), String> {
    for (section, keys) in sentences {
        let Value::Table(keys) = keys else { continue };
        for (key, value) in keys {
            let key = format!("{section}.{key}");
            let allowed = ALLOWED.iter().find(|(known, _)| *known == key).map_or(&[][..], |(_, names)| names);
            for sentence in texts(value) {
                check_one(&key, sentence, allowed)?;
            }
        }
    }
    Ok(())
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Table(all) => all.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn check_one(key: &str, sentence: &str, allowed: &[&str]) -> Result<(), String> {
    let mut rest = sentence;
    while let Some((_, tail)) = rest.split_once('{') {
        let (name, behind) = tail.split_once('}').unwrap_or((tail, ""));
        if !allowed.contains(&name) {
            let names: Vec<String> = allowed.iter().map(|name| format!("{{{name}}}")).collect();
            let names = if names.is_empty() { "no placeholder".to_owned() } else { names.join(", ") };
            return Err(format!("{key} is \"{sentence}\"; allowed: {names}"));
        }
        rest = behind;
    }
    Ok(())
}
