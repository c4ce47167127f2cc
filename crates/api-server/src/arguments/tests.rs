//! Error messages for arguments that do not match the schema.

use super::*;
use serde_json::json;

fn schema() -> JsonMap {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "examples": ["why sqlite"] },
            "limit": { "type": "integer", "default": 10 },
            "weight": { "type": "number" },
            "explain": { "type": "boolean" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "mode": { "type": "string", "enum": ["fast", "careful"] },
            "order": { "anyOf": [{ "$ref": "#/$defs/Order" }, { "type": "null" }] },
            "since": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "id": { "type": ["integer", "string"] },
            "links": { "type": "array", "items": { "$ref": "#/$defs/Link" } },
            "target": { "oneOf": [{ "$ref": "#/$defs/Link" }, { "type": "integer" }] },
            "data": { "type": "object" },
            "anything": true,
        },
        "required": ["query"],
        "$defs": {
            "Link": {
                "type": "object",
                "properties": { "to": { "type": "integer" }, "kind": { "type": "string" } },
                "required": ["to"],
                "additionalProperties": false,
            },
            "Order": {
                "oneOf": [
                    { "type": "string", "const": "newest", "description": "The newest first." },
                    { "type": "string", "const": "oldest", "description": "The oldest first." },
                ],
            },
            "Loop": { "$ref": "#/$defs/Loop" },
        },
    });
    object(schema)
}

fn object(value: Value) -> JsonMap {
    let Value::Object(map) = value else { panic!("not an object: {value}") };
    map
}

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let failure = check_arguments(&schema(), object(arguments)).unwrap_err();
    assert_eq!(failure.message, expected);
}

#[track_caller]
fn accepts_unchanged(arguments: Value) {
    assert_eq!(
        check_arguments(&schema(), object(arguments.clone())).map(Value::from),
        Ok(arguments)
    );
}

#[test]
fn valid_arguments_pass_unchanged() {
    accepts_unchanged(json!({ "query": "x" }));
    accepts_unchanged(json!({
        "query": "", "limit": 3, "weight": 2, "explain": false, "tags": ["a"], "mode": "fast",
        "order": "newest", "since": null, "id": "7", "links": [{ "to": 1 }],
        "target": { "to": 1 }, "data": { "free": [null] }, "anything": null,
    }));
    accepts_unchanged(json!({ "query": "x", "target": 5, "id": 5, "weight": 0.5 }));
}

#[test]
fn an_unknown_argument_is_refused_with_the_nearest_right_name() {
    check(
        json!({ "query": "x", "limt": 3 }),
        "there is no argument `limt` (did you mean `limit`?)",
    );
}

#[test]
fn the_proposed_name_accepts_the_sent_type() {
    let two = object(json!({"type": "object", "properties": {
        "query_vec": { "type": "array" }, "query_text": { "type": "string" },
    }}));
    let failure = check_arguments(&two, object(json!({ "query": "x" }))).unwrap_err();
    assert_eq!(failure.message, "there is no argument `query` (did you mean `query_text`?)");
    let failure = check_arguments(&two, object(json!({ "query": [0.5] }))).unwrap_err();
    assert_eq!(failure.message, "there is no argument `query` (did you mean `query_vec`?)");
}

#[test]
fn a_float_without_a_fraction_is_an_integer_where_one_is_expected() {
    let sent = json!({
        "query": "x", "limit": 3.0, "links": [{ "to": 2.0 }], "weight": 2.0, "id": -7.0,
        "target": { "to": 4.0 },
    });
    let accepted = check_arguments(&schema(), object(sent)).unwrap();
    assert_eq!(
        Value::Object(accepted),
        json!({
            "query": "x", "limit": 3, "links": [{ "to": 2 }], "weight": 2.0, "id": -7,
            "target": { "to": 4 },
        })
    );
    for odd in [json!(3.5), json!(1e30)] {
        assert!(
            check_arguments(&schema(), object(json!({ "query": "x", "limit": odd }))).is_err(),
            "{odd}"
        );
    }
}

#[test]
fn an_unknown_argument_without_a_near_name_is_refused_with_all_names() {
    let failure =
        check_arguments(&schema(), object(json!({ "query": "x", "colour": 3 }))).unwrap_err();
    assert!(failure.message.starts_with("there is no argument `colour` (there are `"), "{failure}");
    assert!(failure.message.contains("`query`"), "{failure}");
}

#[test]
fn a_tool_without_arguments_says_so() {
    let nothing = object(json!({ "type": "object" }));
    let failure = check_arguments(&nothing, object(json!({ "x": 1 }))).unwrap_err();
    assert_eq!(failure.message, "there is no argument `x` (it takes none)");
}

#[test]
fn a_tool_that_allows_extra_arguments_gets_them() {
    let open = object(json!({ "type": "object", "additionalProperties": true }));
    assert!(check_arguments(&open, object(json!({ "x": 1 }))).is_ok());
}

#[test]
fn a_missing_argument_is_named_with_its_type_and_an_example() {
    check(json!({}), "`query` is missing: a string, for example \"why sqlite\"");
}

#[test]
fn a_misspelled_required_name_is_reported_as_unknown_and_as_missing() {
    check(
        json!({ "querry": "x" }),
        "there is no argument `querry` (did you mean `query`?); \
         `query` is missing: a string, for example \"why sqlite\"",
    );
}

#[test]
fn a_wrong_type_is_named_with_the_right_one() {
    check(
        json!({ "query": "x", "limit": "ten" }),
        "`limit` must be an integer, not the string \"ten\", for example 10",
    );
    check(
        json!({ "query": "x", "limit": 1.5 }),
        "`limit` must be an integer, not the number 1.5, for example 10",
    );
    check(
        json!({ "query": "x", "explain": "yes" }),
        "`explain` must be true or false, not the string \"yes\"",
    );
    check(json!({ "query": "x", "tags": "a,b" }), "`tags` must be a list, not the string \"a,b\"");
    check(json!({ "query": "x", "data": [1] }), "`data` must be an object, not a list");
    check(json!({ "query": "x", "id": true }), "`id` must be an integer or a string, not true");
    check(
        json!({ "query": "x", "since": 5 }),
        "`since` must be a string or null, not the number 5",
    );
}

#[test]
fn a_value_outside_the_choices_is_refused_with_the_choices() {
    check(
        json!({ "query": "x", "mode": "carefull" }),
        "`mode` must be one of \"fast\", \"careful\", not \"carefull\" (did you mean \"careful\"?)",
    );
    check(
        json!({ "query": "x", "order": "best" }),
        "`order` must be one of \"newest\", \"oldest\", not \"best\"",
    );
}

#[test]
fn faults_inside_lists_and_objects_are_named_by_their_path() {
    check(
        json!({ "query": "x", "tags": ["a", 2] }),
        "`tags[1]` must be a string, not the number 2",
    );
    check(
        json!({ "query": "x", "links": [{ "to": 1 }, {}] }),
        "`links[1].to` is missing: an integer",
    );
    check(
        json!({ "query": "x", "links": [{ "to": 1, "kid": "y" }] }),
        "`links[0]` has no field `kid` (did you mean `kind`?)",
    );
    check(
        json!({ "query": "x", "target": { "to": "one" } }),
        "`target.to` must be an integer, not the string \"one\"",
    );
    check(
        json!({ "query": "x", "target": "one" }),
        "`target` must be an object or an integer, not the string \"one\"",
    );
}

#[test]
fn null_for_an_optional_argument_counts_as_not_given() {
    let arguments =
        check_arguments(&schema(), object(json!({ "query": "x", "limit": null, "since": null })))
            .unwrap();
    assert_eq!(Value::from(arguments), json!({ "query": "x", "since": null }));
}

#[test]
fn null_for_a_required_argument_is_a_wrong_type() {
    check(
        json!({ "query": null }),
        "`query` must be a string, not null, for example \"why sqlite\"",
    );
}

#[test]
fn only_the_first_faults_are_reported_and_long_values_are_truncated() {
    let long = "x".repeat(1000);
    let many: Vec<Value> = (0..1000).map(|n| json!(n)).collect();
    let failure =
        check_arguments(&schema(), object(json!({ "query": "x", "limit": long, "tags": many })))
            .unwrap_err();
    assert_eq!(failure.message.matches("must be").count(), FAULTS_MAX);
    assert!(failure.message.len() < 500, "{failure}");
}

#[test]
fn a_cyclic_schema_accepts_anything() {
    let mut schema = schema();
    schema["properties"]["query"] = json!({ "$ref": "#/$defs/Loop" });
    assert!(check_arguments(&schema, object(json!({ "query": 1 }))).is_ok());
}

#[test]
fn an_optional_argument_that_is_empty_counts_as_not_given() {
    let given = json!({ "query": "", "links": [], "data": {}, "mode": "", "since": " " });
    let arguments = check_arguments(&schema(), object(given)).unwrap();
    assert_eq!(Value::from(arguments), json!({ "query": "" }), "a required one is kept");
}
