//! The items of the house to try: states, groups, and the events that follow a change.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::values;

/// Something that goes down the streams of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DemoEvent {
    pub(super) topic: String,
    pub(super) frame: String,
    /// `ItemStateChangedEvent`; empty for what has no type.
    pub(super) kind: String,
    /// The event alone, as a WebSocket has it; empty for what only a stream has.
    pub(super) data: String,
    /// The stream ends with it.
    pub(super) is_end: bool,
}

impl DemoEvent {
    pub(super) fn new(topic: String, kind: &str, payload: &Value) -> Self {
        let data = json!({"topic": topic, "payload": payload.to_string(), "type": kind}).to_string();
        let frame = format!("event: message\ndata: {data}\n\n");
        Self { topic, frame, kind: kind.to_owned(), data, is_end: false }
    }

    pub(super) fn raw(frame: &str) -> Self {
        Self { frame: frame.to_owned(), ..Self::end() }.going_on()
    }

    pub(super) fn end() -> Self {
        let empty = String::new;
        Self { topic: empty(), frame: empty(), kind: empty(), data: empty(), is_end: true }
    }

    fn going_on(self) -> Self {
        Self { is_end: false, ..self }
    }
}

/// All items as rows of the list.
#[derive(Debug)]
pub(super) struct DemoHouse {
    rows: BTreeMap<String, Value>,
}

/// A command that was taken, with what follows from it.
pub(super) struct Obeyed {
    pub(super) events: Vec<DemoEvent>,
    /// Items and their new states, a moment later.
    pub(super) states: Vec<(String, String)>,
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(row: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    row.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// A number as the server writes it.
pub(super) fn written(value: f64) -> String {
    let value = format!("{value:.10}");
    let value = value.trim_end_matches('0').trim_end_matches('.');
    if value == "-0" { "0".to_owned() } else { value.to_owned() }
}

impl DemoHouse {
    pub(super) fn new(rows: Vec<Value>) -> Self {
        Self { rows: rows.into_iter().map(|row| (text(&row, "name").to_owned(), row)).collect() }
    }

    pub(super) fn row(&self, name: &str) -> Option<&Value> {
        self.rows.get(name)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Value> {
        self.rows.values()
    }

    pub(super) fn state(&self, name: &str) -> Option<&str> {
        self.rows.get(name).map(|row| text(row, "state"))
    }

    /// The type whose values an item has: a group's own, else nothing for a group.
    fn kind(&self, name: &str) -> String {
        let row = &self.rows[name];
        match text(row, "type") {
            "Group" => text(row, "groupType").to_owned(),
            kind => kind.to_owned(),
        }
    }

    fn unit(&self, name: &str) -> Option<&str> {
        self.rows[name].get("unitSymbol").and_then(Value::as_str)
    }

    fn members(&self, group: &str) -> Vec<String> {
        let is_member = |row: &&Value| list(row, "groupNames").any(|name| name == group);
        self.rows.values().filter(is_member).map(|row| text(row, "name").to_owned()).collect()
    }

    /// Takes a command, or refuses it. The item has to exist.
    pub(super) fn command(&self, name: &str, command: &str) -> Option<Obeyed> {
        let mut seen = BTreeSet::new();
        let mut obeyed = Obeyed { events: Vec::new(), states: Vec::new() };
        self.pass_on(name, command, &mut seen, &mut obeyed)?;
        Some(obeyed)
    }

    fn pass_on(
        &self,
        name: &str,
        command: &str,
        seen: &mut BTreeSet<String>,
        obeyed: &mut Obeyed,
    ) -> Option<()> {
        if !seen.insert(name.to_owned()) {
            return Some(());
        }
        let kind = self.kind(name);
        let taken = values::command(&kind, self.unit(name), command, self.state(name)?)?;
        let payload = json!({"type": values::value_type(&kind, &taken.text), "value": taken.text});
        let topic = format!("openhab/items/{name}/command");
        obeyed.events.push(DemoEvent::new(topic, "ItemCommandEvent", &payload));
        if text(&self.rows[name], "type") == "Group" {
            for member in self.members(name) {
                let _ = self.pass_on(&member, command, seen, obeyed);
            }
        } else if let Some(state) = taken.state {
            let is_left_alone =
                self.rows[name].pointer("/metadata/autoupdate/value") == Some(&json!("false"));
            if !is_left_alone {
                obeyed.states.push((name.to_owned(), state));
            }
        }
        Some(())
    }

    /// The state `text` would be, or nothing when it can't be one.
    pub(super) fn parsed(&self, name: &str, state: &str) -> Option<String> {
        values::state(&self.kind(name), self.unit(name), state, self.state(name)?)
    }

    /// Sets a state. Out: the events of the item and of its groups.
    pub(super) fn set(&mut self, name: &str, state: &str) -> Vec<DemoEvent> {
        let Some(row) = self.rows.get_mut(name) else { return Vec::new() };
        let before = text(row, "state").to_owned();
        row["state"] = json!(state);
        let kind = self.kind(name);
        let now = json!({"type": values::value_type(&kind, state), "value": state});
        let topic = |tail: &str| format!("openhab/items/{name}/{tail}");
        let mut events = vec![
            DemoEvent::new(topic("state"), "ItemStateEvent", &now),
            DemoEvent::new(topic("stateupdated"), "ItemStateUpdatedEvent", &now),
        ];
        if before != state {
            let changed = with_old(&kind, state, &before);
            events.push(DemoEvent::new(topic("statechanged"), "ItemStateChangedEvent", &changed));
        }
        let groups: Vec<_> = list(&self.rows[name], "groupNames").map(str::to_owned).collect();
        for group in groups {
            events.extend(self.group_follows(&group, name));
        }
        events
    }

    fn group_follows(&mut self, group: &str, member: &str) -> Vec<DemoEvent> {
        let Some(state) = self.aggregate(group) else { return Vec::new() };
        let kind = self.kind(group);
        let before = self.state(group).unwrap_or_default().to_owned();
        self.rows.entry(group.to_owned()).and_modify(|row| row["state"] = json!(state));
        let now = json!({"type": values::value_type(&kind, &in_kelvin(&state)), "value": in_kelvin(&state)});
        let topic = |tail: &str| format!("openhab/items/{group}/{member}/{tail}");
        let mut events = vec![DemoEvent::new(topic("stateupdated"), "GroupStateUpdatedEvent", &now)];
        if before != state {
            let changed = with_old(&kind, &in_kelvin(&state), &before);
            events.push(DemoEvent::new(topic("statechanged"), "GroupItemStateChangedEvent", &changed));
        }
        events
    }

    /// A group's state by its function; nothing for one without a function.
    fn aggregate(&self, group: &str) -> Option<String> {
        let row = self.rows.get(group)?;
        let function = row.pointer("/function/name")?.as_str()?;
        let parameter = |at: usize| row.pointer(&format!("/function/params/{at}")).and_then(Value::as_str);
        let members = self.members(group);
        let states: Vec<&str> = members.iter().filter_map(|name| self.state(name)).collect();
        let is = |state: &str, value: &str| match value {
            "ON" => {
                state == "ON"
                    || state.rsplit(',').next().and_then(|s| s.parse().ok()).is_some_and(|v: f64| v > 0.0)
            }
            value => state == value,
        };
        let numbers: Vec<f64> =
            states.iter().filter_map(|state| state.split(' ').next()?.parse().ok()).collect();
        let count = numbers.len();
        #[expect(clippy::cast_precision_loss, reason = "a group has few members")]
        let value = match function {
            "OR" => {
                let hit = states.iter().any(|state| is(state, parameter(0).unwrap_or("ON")));
                return parameter(usize::from(!hit)).map(str::to_owned);
            }
            "AND" => {
                let hit =
                    !states.is_empty() && states.iter().all(|state| is(state, parameter(0).unwrap_or("ON")));
                return parameter(usize::from(!hit)).map(str::to_owned);
            }
            "AVG" if count > 0 => numbers.iter().sum::<f64>() / count as f64,
            "SUM" if count > 0 => numbers.iter().sum(),
            "MIN" => numbers.iter().copied().reduce(f64::min)?,
            "MAX" => numbers.iter().copied().reduce(f64::max)?,
            _ => return None,
        };
        let unit = self.unit(group).map(|unit| format!(" {unit}")).unwrap_or_default();
        Some(format!("{}{unit}", written(value)))
    }

    /// Adds an item, or describes it anew.
    pub(super) fn put(&mut self, row: Value) -> Vec<DemoEvent> {
        let name = text(&row, "name").to_owned();
        let old = self.rows.insert(name.clone(), row.clone());
        let (tail, kind, payload) = match old {
            Some(old) => ("updated", "ItemUpdatedEvent", json!([row, old])),
            None => ("added", "ItemAddedEvent", row),
        };
        vec![DemoEvent::new(format!("openhab/items/{name}/{tail}"), kind, &payload)]
    }

    /// What a server sends when it stops; the items stay.
    pub(super) fn removals(&self) -> Vec<DemoEvent> {
        let removed = |(name, row): (&String, &Value)| {
            DemoEvent::new(format!("openhab/items/{name}/removed"), "ItemRemovedEvent", &without_state(row))
        };
        self.rows.iter().map(removed).collect()
    }

    /// What a server sends of its items when it starts.
    pub(super) fn additions(&self) -> Vec<DemoEvent> {
        let added = |(name, row): (&String, &Value)| {
            DemoEvent::new(format!("openhab/items/{name}/added"), "ItemAddedEvent", &without_state(row))
        };
        self.rows.iter().map(added).collect()
    }

    /// The states of all items but groups, whose states follow from their members.
    pub(super) fn states(&self) -> Vec<(String, String)> {
        let devices = self.rows.iter().filter(|(_, row)| text(row, "type") != "Group");
        devices.map(|(name, row)| (name.clone(), text(row, "state").to_owned())).collect()
    }

    /// All states are NULL, as after a start without persistence.
    pub(super) fn forget(&mut self) {
        for row in self.rows.values_mut() {
            row["state"] = json!("NULL");
        }
    }
}

fn without_state(row: &Value) -> Value {
    let mut row = row.clone();
    if let Some(fields) = row.as_object_mut() {
        fields.remove("state");
    }
    row
}

fn with_old(kind: &str, now: &str, before: &str) -> Value {
    json!({
        "type": values::value_type(kind, now), "value": now,
        "oldType": values::value_type(kind, before), "oldValue": before,
    })
}

/// Aggregated temperatures are in kelvin.
fn in_kelvin(state: &str) -> String {
    let celsius = state.strip_suffix(" °C").and_then(|value| value.parse::<f64>().ok());
    celsius.map_or_else(|| state.to_owned(), |value| format!("{:.3} K", value + 273.15))
}

/// Rows as the query wants them: a type, some fields, some namespaces of metadata.
pub(super) fn listed(row: &Value, query: &HashMap<String, String>) -> Option<Value> {
    if query.get("type").is_some_and(|kind| kind != text(row, "type")) {
        return None;
    }
    let mut row = row.clone();
    let fields = row.as_object_mut()?;
    if let Some(wanted) = query.get("metadata") {
        let namespaces: Vec<_> = wanted.split(',').map(str::trim).collect();
        let is_all = namespaces.iter().any(|name| matches!(*name, ".+" | ".*"));
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, _| is_all || namespaces.contains(&name.as_str()));
        }
        if fields.get("metadata").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            fields.remove("metadata");
        }
    }
    if let Some(wanted) = query.get("fields") {
        fields.retain(|name, _| wanted.split(',').any(|field| field == name));
    }
    Some(row)
}
