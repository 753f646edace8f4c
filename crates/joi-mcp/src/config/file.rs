//! The file of servers as other programs have it: `{"mcpServers": {"NAME": {"command": …}}}`.
//!
//! Any thread. In: the text of the file. Out: servers by name, and a remark for each key that means nothing here. Values
//! of our own stand under `x-assistant`. What the file holds besides is kept when it is changed. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::ServerEntry;

/// The key of the servers.
const SERVERS: &str = "mcpServers";
/// The key of values that only this program has.
const OWN: &str = "x-assistant";
/// Keys of an entry that other programs have too.
const COMMON: [&str; 7] = ["command", "args", "env", "cwd", "url", "headers", "disabled"];

/// The file can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    /// It is not JSON, or not an object. Correct it.
    #[error("not a JSON object: {0}")]
    Syntax(String),
    /// One of its servers can't be used. Correct or remove it.
    #[error("server {name}: {why}")]
    Server {
        /// Its name.
        name: String,
        /// The fault.
        why: String,
    },
}

/// The servers of a file, and remarks about keys that are not used.
pub type FileServers = (BTreeMap<String, ServerEntry>, Vec<String>);

/// Reads the text of a file; an empty one has no servers.
///
/// # Errors
/// The first thing that can't be used.
pub fn read(text: &str) -> Result<FileServers, FileFault> {
    let (mut servers, mut remarks) = (BTreeMap::new(), Vec::new());
    for (name, value) in object(text)?.get(SERVERS).and_then(Value::as_object).into_iter().flatten() {
        let fault = |why: String| FileFault::Server { name: name.clone(), why };
        let Value::Object(given) = value else { return Err(fault("not an object".to_owned())) };
        servers.insert(name.clone(), entry(name, given, &mut remarks).map_err(fault)?);
    }
    Ok((servers, remarks))
}

fn object(text: &str) -> Result<Map<String, Value>, FileFault> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(FileFault::Syntax("it holds another kind of value".to_owned())),
        Err(error) => Err(FileFault::Syntax(error.to_string())),
    }
}

fn entry(name: &str, given: &Map<String, Value>, remarks: &mut Vec<String>) -> Result<ServerEntry, String> {
    let mut known = Map::new();
    for (key, value) in given {
        match key.as_str() {
            "type" | "transport" => kind(value)?,
            OWN => {
                let own = value.as_object().ok_or_else(|| format!("{OWN} is not an object"))?;
                known.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            key if COMMON.contains(&key) => {
                known.insert(key.to_owned(), value.clone());
            }
            key => remarks.push(format!("server {name}: the key {key} is not used")),
        }
    }
    serde_json::from_value(Value::Object(known)).map_err(|error| error.to_string())
}

/// Checks the kind of connection.
fn kind(value: &Value) -> Result<(), String> {
    match value.as_str().unwrap_or_default() {
        "stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Ok(()),
        "sse" => {
            Err("type \"sse\" is the HTTP transport of 2024, which is not supported; most servers also \
                      offer \"http\", often at /mcp"
                .to_owned())
        }
        other => Err(format!("type \"{other}\" is not known; \"stdio\" and \"http\" are")),
    }
}

/// Returns the text with a server added, or replaced.
///
/// # Errors
/// The text is not a JSON object.
pub fn with(text: &str, name: &str, entry: &ServerEntry) -> Result<String, FileFault> {
    changed(text, |servers| drop(servers.insert(name.to_owned(), written(entry))))
}

/// Returns the text without a server, and nothing where it has none of that name.
///
/// # Errors
/// The text is not a JSON object.
pub fn without(text: &str, name: &str) -> Result<Option<String>, FileFault> {
    let mut was_there = false;
    let text = changed(text, |servers| was_there = servers.shift_remove(name).is_some())?;
    Ok(was_there.then_some(text))
}

fn changed(text: &str, change: impl FnOnce(&mut Map<String, Value>)) -> Result<String, FileFault> {
    let mut whole = object(text)?;
    let servers = whole.entry(SERVERS).or_insert_with(|| json!({}));
    let Value::Object(servers) = servers else {
        return Err(FileFault::Syntax(format!("{SERVERS} is not an object")));
    };
    change(servers);
    let text = serde_json::to_string_pretty(&whole).map_err(|error| FileFault::Syntax(error.to_string()))?;
    Ok(text + "\n")
}

/// Returns an entry as it stands in a file: without the values that are defaults.
fn written(entry: &ServerEntry) -> Value {
    let values = |entry: &ServerEntry| match serde_json::to_value(entry) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let defaults = values(&ServerEntry::default());
    let (mut common, mut own) = (Map::new(), Map::new());
    for (key, value) in values(entry) {
        if defaults.get(&key) == Some(&value) {
            continue;
        }
        let place = if COMMON.contains(&key.as_str()) { &mut common } else { &mut own };
        place.insert(key, value);
    }
    if !own.is_empty() {
        common.insert(OWN.to_owned(), Value::Object(own));
    }
    Value::Object(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASTED: &str = r#"{"theme": "dark", "mcpServers": {
        "time": {"command": "mcp-server-time", "args": ["--local-timezone", "Europe/Berlin"], "env": {"LANG": "C.UTF-8"}, "icon": "clock"},
        "house": {"type": "streamableHttp", "url": "http://nas:3001/mcp", "headers": {"Authorization": "Bearer ${HOUSE_TOKEN}"},
          "x-assistant": {"timeout_s": 9, "lifecycle": "discover", "allow": ["get_*"], "confirm": ["set_*"]}}}}"#;

    #[test]
    fn a_pasted_file_is_read_and_what_it_holds_besides_is_kept() {
        let (servers, remarks) = read(PASTED).unwrap();
        assert_eq!(remarks, ["server time: the key icon is not used"]);
        assert_eq!(servers["time"].args, ["--local-timezone", "Europe/Berlin"]);
        let house = &servers["house"];
        assert_eq!(
            (house.timeout_s, house.longest_s, house.allow.as_slice()),
            (9, 60, &["get_*".to_owned()][..])
        );
        let changed = with(PASTED, "house", &ServerEntry { disabled: true, ..house.clone() }).unwrap();
        assert!(
            changed.contains("\"theme\": \"dark\"") && changed.contains("\"icon\": \"clock\""),
            "{changed}"
        );
        assert!(read(&changed).unwrap().0["house"].disabled);
        assert_eq!(read(&changed).unwrap().0["house"].timeout_s, 9);
        let less = without(&changed, "house").unwrap().unwrap();
        assert_eq!(read(&less).unwrap().0.into_keys().collect::<Vec<_>>(), ["time"]);
        assert_eq!(without(&less, "house").unwrap(), None);
    }

    #[test]
    fn what_can_not_be_used_is_refused_with_its_reason() {
        let fault = |text: &str| read(text).unwrap_err().to_string();
        assert!(fault(r#"{"mcpServers": {"old": {"type": "sse", "url": "http://x/sse"}}}"#).contains("2024"));
        assert!(fault(r#"{"mcpServers": {"a": {"command": 7}}}"#).starts_with("server a: "));
        assert!(fault("[]").starts_with("not a JSON object"));
        assert_eq!(read(" ").unwrap().0.len(), 0);
        let added = with("", "one", &ServerEntry { command: "x".into(), ..ServerEntry::default() }).unwrap();
        assert_eq!(read(&added).unwrap().0["one"].command, "x");
    }
}
