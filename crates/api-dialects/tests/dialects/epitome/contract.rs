//! Parameters of the two documents: names, types, required ones, and enum values. Parameters beyond
//! the documents are listed too, so that none is added by accident.

use dialects::{DialectApi, Epitome};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns the schema of a parameter or of a field of one: `recall.memory.collection`.
fn schema_at<'s>(schemas: &'s Value, path: &str) -> &'s Value {
    path.split('.').fold(schemas, |schema, name| {
        let forms = schema["anyOf"].as_array().into_iter().flatten();
        let object = forms.chain([schema]).find(|form| form.get("properties").is_some());
        &object.unwrap_or_else(|| panic!("{path}"))["properties"][name]
    })
}

/// Returns the argument schemas of all twelve tools as properties of one object.
fn schemas() -> Value {
    let epitome = Epitome::listing_all();
    let tools = epitome
        .tools()
        .iter()
        .map(|tool| (tool.name.to_owned(), Value::Object(tool.input.clone())));
    json!({ "properties": tools.collect::<serde_json::Map<_, _>>() })
}

fn type_of(schema: &Value) -> String {
    let forms =
        schema["anyOf"].as_array().map_or_else(|| vec![schema], |forms| forms.iter().collect());
    forms.iter().map(|form| form["type"].as_str().unwrap_or("any")).collect::<Vec<_>>().join("|")
}

/// Each tool or nested object with its documented parameters, `*` behind the required ones, and the
/// parameters beyond the documents.
const CONTRACT: [(&str, &str, &str); 16] = [
    (
        "recall",
        "topic: string, budget: string, mode: string, memory: object, graph: object, table: \
         string|object, tableName: string, sql: string, filters: object",
        "limit: integer, offset: integer",
    ),
    (
        "recall.memory",
        "collection*: string, query*: string, minSimilarity: number, limit: integer",
        "",
    ),
    (
        "recall.graph",
        "queryType*: string, entityId: integer, relation: string, maxHops: integer, \
         pattern: string|object",
        "",
    ),
    (
        "recall.table",
        "table: string, filters: object, sql: string, limit: integer, offset: integer",
        "tableName: string",
    ),
    (
        "memorize",
        "text*: string, category: string, data: object, action: string, storage: string, \
         collection: string, metadata: object",
        "sourceRef: string, dryRun: boolean, idempotencyKey: string, allowForgotten: boolean",
    ),
    ("review", "action*: string, metaId: integer, resolution: string", ""),
    ("get_user_context", "topic: string", ""),
    ("update_profile", "data*: object, reason: string", ""),
    ("list_tables", "", ""),
    (
        "query_table",
        "tableName*: string, filters: object, sql: string, limit: integer, offset: integer",
        "",
    ),
    ("add_record", "tableName*: string, data*: object, tableDescription: string", ""),
    (
        "search_memory",
        "collection*: string, query*: string, minSimilarity: number, limit: integer",
        "",
    ),
    ("save_memory", "collection*: string, text*: string, metadata: object", ""),
    (
        "query_graph",
        "queryType*: string, entityId: integer, relation: string, maxHops: integer, \
         pattern: string|object",
        "",
    ),
    (
        "query_graph.pattern",
        "",
        "entityType: string, entityName: string, relation: string, targetType: string",
    ),
    ("review_memories", "action*: string, metaId: integer, resolution: string", ""),
];

#[test]
fn every_documented_parameter_has_its_type_and_no_unlisted_one_exists() {
    let schemas = schemas();
    for (place, documented, beyond) in CONTRACT {
        let here = schema_at(&schemas, place);
        let forms = here["anyOf"].as_array().into_iter().flatten();
        let object =
            forms.chain([here]).find(|form| form.get("properties").is_some()).expect(place);
        let mut known = BTreeSet::new();
        for parameter in [documented, beyond]
            .into_iter()
            .flat_map(|list| list.split(", "))
            .filter(|one| !one.is_empty())
        {
            let (name, kind) = parameter.split_once(": ").unwrap();
            let plain = name.trim_end_matches('*');
            assert_eq!(type_of(&object["properties"][plain]), kind, "{place}.{plain}");
            let required =
                object["required"].as_array().is_some_and(|names| names.contains(&json!(plain)));
            assert_eq!(required, name.ends_with('*'), "{place}.{plain}");
            known.insert(plain);
        }
        let listed: BTreeSet<&str> =
            object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(listed, known, "{place}");
    }
}

#[test]
fn the_choices_are_those_of_the_documents() {
    let schemas = schemas();
    for (place, choices) in [
        ("recall.budget", json!(["small", "medium", "deep"])),
        ("recall.mode", json!(["context", "knowledge", "memory", "graph", "table"])),
        ("recall.graph.queryType", json!(["traverse", "pattern"])),
        ("memorize.action", json!(["save", "delete"])),
        ("memorize.storage", json!(["record", "memory"])),
        ("review.action", json!(["list", "resolve"])),
        ("review.resolution", json!(["confirm", "reject", "keep_both"])),
        ("review_memories.resolution", json!(["confirm", "reject", "keep_both"])),
    ] {
        assert_eq!(schema_at(&schemas, place)["enum"], choices, "{place}");
    }
}

#[test]
fn each_listed_tool_shows_an_example_that_fits() {
    crate::tool_listing::assert_examples_fit(&Epitome::default());
}
