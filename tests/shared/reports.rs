//! Reports are held to their schema: `docs/report.schema.json`.

use serde_json::{Value, json};
use std::path::Path;

/// Fails where a value is no report.
pub fn assert_report(value: &Value, what: &str) {
    assert_valid(&schema(), value, what);
}

/// Fails where a value is no standing of an area.
pub fn assert_standing(value: &Value, what: &str) {
    let of_standings = json!({ "$defs": schema()["$defs"], "$ref": "#/$defs/standing" });
    assert_valid(&of_standings, value, what);
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.schema.json");
    let schema = std::fs::read_to_string(path).expect("the schema");
    serde_json::from_str(&schema).expect("the schema is JSON")
}

fn assert_valid(schema: &Value, value: &Value, what: &str) {
    let schema = jsonschema::validator_for(schema).expect("it is a schema");
    let faults: Vec<String> = schema
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{what}: {faults:#?}\n{value}");
}
