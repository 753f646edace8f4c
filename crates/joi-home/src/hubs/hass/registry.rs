//! Rows of Home Assistant's registries. Only needed fields are read; rows that can't be read are left out.
//! Pure: no I/O, no clock.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A floor of the house.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct FloorRow {
    pub(super) floor_id: String,
    pub(super) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(super) aliases: Vec<String>,
    pub(super) level: Option<i64>,
}

/// An area: a room, or a part of the garden.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct AreaRow {
    pub(super) area_id: String,
    pub(super) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(super) aliases: Vec<String>,
    /// Since 2024.4.
    pub(super) floor_id: Option<String>,
}

/// A device, which has entities.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct DeviceRow {
    pub(super) id: String,
    name: Option<String>,
    name_by_user: Option<String>,
    pub(super) area_id: Option<String>,
}

/// An entity: what it is called, and where it belongs.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct EntityRow {
    pub(super) entity_id: String,
    pub(super) device_id: Option<String>,
    pub(super) area_id: Option<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(super) aliases: Vec<String>,
}

impl DeviceRow {
    pub(super) fn name(&self) -> &str {
        self.name_by_user.as_deref().or(self.name.as_deref()).unwrap_or(&self.id)
    }
}

/// A list of texts, in which newer versions have gaps for names that are worked out.
fn texts<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let values = Option::<Vec<Value>>::deserialize(from)?.unwrap_or_default();
    Ok(values.into_iter().filter_map(|value| value.as_str().map(str::to_owned)).collect())
}

/// All rows of a list that can be read.
pub(super) fn rows<T: DeserializeOwned>(list: Value) -> Vec<T> {
    let Value::Array(rows) = list else { return Vec::new() };
    let count = rows.len();
    let read: Vec<T> = rows.into_iter().filter_map(|row| T::deserialize(row).ok()).collect();
    if read.len() < count {
        tracing::warn!(left_out = count - read.len(), "rows of a registry can't be read");
    }
    read
}
