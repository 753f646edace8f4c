//! A tool as its program describes it.
//!
//! Plain data. Pure: no I/O, no clock.

use joi_base::checksum;
use serde_json::{Value, json};

use super::allowance::Claims;

/// A tool in the words of its program.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedTool {
    /// Its name, as the program takes it.
    pub name: String,
    /// A name for people; empty where there is none.
    pub title: String,
    /// Its purpose.
    pub description: String,
    /// The JSON schema of its arguments, as the program wrote it.
    pub schema: Value,
    /// What the program claims of it.
    pub claims: Claims,
}

impl Default for DescribedTool {
    fn default() -> Self {
        Self {
            name: String::new(),
            title: String::new(),
            description: String::new(),
            schema: json!({ "type": "object" }),
            claims: Claims::default(),
        }
    }
}

impl DescribedTool {
    /// Returns a hash of all that a model sees of it, and of its claims: 32 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let Self { name, title, description, schema, claims: Claims { read_only, destructive } } = self;
        // Stored by the owner's approval: a change of this text revokes all approvals.
        let claims = format!("Annotations {{ read_only: {read_only:?}, destructive: {destructive:?} }}");
        let text = format!("{name}\0{title}\0{description}\0{schema}\0{claims}");
        checksum::of_bytes(text.as_bytes())[..32].to_owned()
    }

    /// Returns the bytes that the program sent of it.
    pub fn bytes(&self) -> usize {
        self.schema.to_string().len() + self.description.len() + self.name.len()
    }
}
