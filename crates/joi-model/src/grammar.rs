//! JSON schemas to llama.cpp grammars. PURE.
//!
//! Whatever the grammar allows, the schema accepts: a constrained model can't write anything else. The part
//! of JSON Schema that describes tools is supported: objects, arrays, strings, numbers, constants, choices.
//! Properties come in the schema's order. Unsupported keywords are refused, not ignored.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Deepest nesting of a schema.
const DEEPEST: usize = 16;
/// Longest string whose length the grammar counts; longer ones end with the reply.
const COUNTED: u64 = 120;
/// Most items of an array that the grammar counts.
const MOST_ITEMS: u64 = 50;
/// Most bytes of a grammar.
const LONGEST: usize = 256 << 10;

/// The rules that all grammars share. White space is bounded: a small model would fill the reply with it.
const COMMON: &str = r#"ws ::= " "?
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( string ":" ws value ( "," ws string ":" ws value )* )? "}"
array ::= "[" ws ( value ( "," ws value )* )? "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] )
number ::= integer ( "." [0-9]+ )? ( [eE] [-+]? [0-9]+ )?
integer ::= "-"? ( "0" | [1-9] [0-9]{0,17} )
boolean ::= "true" | "false"
"#;

/// Why there is no grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SchemaError {
    /// A keyword or type is not supported.
    #[error("the schema uses {0}, which joi-model does not support")]
    Unsupported(String),
    /// It is too deep or too long.
    #[error("the schema is too large")]
    TooLarge,
}

/// The grammar of a value that fits `schema`, with the root `root`.
pub(crate) fn of_schema(schema: &Value) -> Result<String, SchemaError> {
    let mut rules = Rules::default();
    let value = rules.of(schema, 0)?;
    rules.finish(&value)
}

/// The grammar of calls of `tools` as models write them, between `<tool_call>` marks or bare; root `root`.
pub(crate) fn of_calls(tools: &[Value]) -> Result<String, SchemaError> {
    let mut rules = Rules::default();
    let mut calls = Vec::new();
    for function in tools.iter().filter_map(|tool| tool.get("function")) {
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let empty = Value::Object(Map::new());
        let arguments = rules.of(function.get("parameters").unwrap_or(&empty), 0)?;
        let name = literal(&Value::from(name));
        let call = format!(r#""{{" ws "\"name\":" ws {name} "," ws "\"arguments\":" ws {arguments} "}}""#);
        calls.push(rules.named(&call)?);
    }
    let call = calls.join(" | ");
    rules.finish(&format!(r#"{call} | "<tool_call>" [\n]? ( {call} ) [\n]? "</tool_call>" ( "\n"? "<tool_call>" [\n]? ( {call} ) [\n]? "</tool_call>" ){{0,4}}"#))
}

#[derive(Default)]
struct Rules {
    text: String,
    count: usize,
}

impl Rules {
    /// Adds a rule and gives its name.
    fn named(&mut self, body: &str) -> Result<String, SchemaError> {
        self.count += 1;
        let name = format!("r{}", self.count);
        // Writing to a text does not fail.
        let _ = writeln!(self.text, "{name} ::= {body}");
        if self.text.len() > LONGEST { Err(SchemaError::TooLarge) } else { Ok(name) }
    }

    fn finish(self, root: &str) -> Result<String, SchemaError> {
        Ok(format!("root ::= {root}\n{}{COMMON}", self.text))
    }

    /// The expression for a value of `schema`: the name of a rule, or a literal.
    fn of(&mut self, schema: &Value, depth: usize) -> Result<String, SchemaError> {
        if depth > DEEPEST {
            return Err(SchemaError::TooLarge);
        }
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(true) => return Ok("value".into()),
            _ => return Err(SchemaError::Unsupported(format!("{schema} for a schema"))),
        };
        if let Some(keyword) = ["$ref", "allOf", "not", "if", "pattern", "patternProperties"]
            .iter()
            .find(|k| fields.contains_key(**k))
        {
            return Err(SchemaError::Unsupported((*keyword).to_owned()));
        }
        if let Some(value) = fields.get("const") {
            return Ok(literal(value));
        }
        if let Some(values) = fields.get("enum").and_then(Value::as_array) {
            return self.named(&values.iter().map(literal).collect::<Vec<_>>().join(" | "));
        }
        if let Some(options) = fields.get("anyOf").or_else(|| fields.get("oneOf")).and_then(Value::as_array) {
            let options: Result<Vec<String>, _> =
                options.iter().map(|option| self.of(option, depth + 1)).collect();
            return self.named(&options?.join(" | "));
        }
        match fields.get("type") {
            Some(Value::String(kind)) => self.of_kind(kind, fields, depth),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let options: Result<Vec<String>, _> =
                    kinds.map(|kind| self.of_kind(kind, fields, depth)).collect();
                self.named(&options?.join(" | "))
            }
            None if fields.contains_key("properties") => self.of_kind("object", fields, depth),
            None => Ok("value".into()),
            Some(other) => Err(SchemaError::Unsupported(format!("the type {other}"))),
        }
    }

    fn of_kind(
        &mut self,
        kind: &str,
        fields: &Map<String, Value>,
        depth: usize,
    ) -> Result<String, SchemaError> {
        match kind {
            "string" => match fields.get("maxLength").and_then(Value::as_u64) {
                Some(most) if most <= COUNTED => self.named(&format!(r#""\"" char{{0,{most}}} "\"""#)),
                _ => Ok("string".into()),
            },
            "integer" | "number" | "boolean" => Ok(kind.to_owned()),
            "null" => Ok("\"null\"".into()),
            "array" => {
                let item =
                    fields.get("items").map_or(Ok("value".into()), |items| self.of(items, depth + 1))?;
                let count = |key: &str, usual: u64| {
                    fields.get(key).and_then(Value::as_u64).unwrap_or(usual).min(MOST_ITEMS)
                };
                match (count("minItems", 0), count("maxItems", MOST_ITEMS)) {
                    (_, 0) => Ok(r#""[]""#.into()),
                    (0, most) => {
                        self.named(&format!(r#""[" ws ( {item} ( "," ws {item} ){{0,{}}} )? "]""#, most - 1))
                    }
                    (least, most) => self.named(&format!(
                        r#""[" ws {item} ( "," ws {item} ){{{},{}}} "]""#,
                        least - 1,
                        most.max(least) - 1
                    )),
                }
            }
            "object" => self.of_object(fields, depth),
            other => Err(SchemaError::Unsupported(format!("the type {other:?}"))),
        }
    }

    /// An object with the declared properties in their order; optional ones may be missing.
    fn of_object(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<String, SchemaError> {
        let Some(properties) = fields.get("properties").and_then(Value::as_object).filter(|p| !p.is_empty())
        else {
            let is_closed = fields.get("additionalProperties") == Some(&Value::Bool(false))
                || fields.contains_key("properties");
            return Ok(if is_closed { r#""{}""#.into() } else { "object".into() });
        };
        let required: Vec<&str> = fields
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        // From the last property to the first: what may follow when something stands before it, and when not.
        let (mut after, mut first) = (r#""""#.to_owned(), r#""""#.to_owned());
        for (name, schema) in properties.iter().rev() {
            let value = self.of(schema, depth + 1)?;
            let pair = format!(r#"{} ":" ws {value}"#, literal(&Value::from(name.as_str())));
            let is_required = required.contains(&name.as_str());
            let with = format!(r#""," ws {pair} {after}"#);
            let alone = format!("{pair} {after}");
            (after, first) = match is_required {
                true => (self.named(&with)?, self.named(&alone)?),
                false => {
                    (self.named(&format!("{with} | {after}"))?, self.named(&format!("{alone} | {first}"))?)
                }
            };
        }
        self.named(&format!(r#""{{" ws {first} "}}""#))
    }
}

/// A JSON value as the grammar writes it.
fn literal(value: &Value) -> String {
    let mut out = String::from("\"");
    for c in value.to_string().chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_has_its_properties_in_order_and_may_lack_what_is_not_required() {
        let schema = json!({ "type": "object", "required": ["b"], "additionalProperties": false, "properties": {
            "a": { "type": "integer" }, "b": { "enum": ["x", "y\""] } } });
        let grammar = of_schema(&schema).unwrap();
        let rules: Vec<&str> = grammar.lines().take(6).collect();
        let expected = [
            r#"root ::= r6"#,
            r#"r1 ::= "\"x\"" | "\"y\\\"\"""#,
            r#"r2 ::= "," ws "\"b\"" ":" ws r1 """#,
            r#"r3 ::= "\"b\"" ":" ws r1 """#,
            r#"r4 ::= "," ws "\"a\"" ":" ws integer r2 | r2"#,
            r#"r5 ::= "\"a\"" ":" ws integer r2 | r3"#,
        ];
        assert_eq!(rules, expected);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let refused = |schema: Value| of_schema(&schema).unwrap_err().to_string();
        assert_eq!(
            refused(json!({ "$ref": "#/x" })),
            "the schema uses $ref, which joi-model does not support"
        );
        assert_eq!(
            refused(json!({ "type": "date" })),
            "the schema uses the type \"date\", which joi-model does not support"
        );
        assert_eq!(refused(json!(3)), "the schema uses 3 for a schema, which joi-model does not support");
        let deep =
            (0..20).fold(json!({ "type": "string" }), |inner, _| json!({ "type": "array", "items": inner }));
        assert_eq!(of_schema(&deep), Err(SchemaError::TooLarge));
    }

    #[test]
    fn calls_are_of_known_names_with_fitting_arguments() {
        let tool = json!({ "type": "function", "function": { "name": "stop", "parameters":
            { "type": "object", "properties": {}, "additionalProperties": false } } });
        let grammar = of_calls(&[tool]).unwrap();
        let call = r#"r1 ::= "{" ws "\"name\":" ws "\"stop\"" "," ws "\"arguments\":" ws "{}" "}""#;
        assert_eq!(grammar.lines().nth(1), Some(call));
        assert!(grammar.starts_with(r#"root ::= r1 | "<tool_call>" [\n]? ( r1 )"#), "{grammar}");
    }
}
