//! Reports are held to their schema: `docs/report.schema.json`.

use serde_json::Value;
use std::path::Path;

/// Fails where a value is no report.
pub fn assert_report(value: &Value, what: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.schema.json");
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("it is a schema");
    let faults: Vec<String> = schema
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{what}: {faults:#?}\n{value}");
}
