//! The REST API as a script uses it.

use crate::fixture::DashboardFixture;
use crate::raw_http::RawRequest;
use engine::remember::RememberRequest;
use model::{JsonMap, NewReview, ReviewKind};
use serde_json::{Value, json};
use store::{Change, Ref};

#[test]
fn a_table_may_have_the_name_that_precedes_keys() {
    let fixture = DashboardFixture::start();
    let row = json!({ "data": { "food": "soup" } });
    let added = fixture.call("POST", "/v1/tables/t/rows", &row)["row"].as_i64().unwrap();
    let change = json!({ "patch": { "food": "pizza" } });
    let path = format!("/v1/tables/t/rows/{added}");
    assert_eq!(fixture.ask(RawRequest::json("PATCH", &path, &change)).status, 200);
    let rows = fixture.call("POST", "/v1/tables/t/query", &json!({}));
    assert_eq!(rows["items"][0]["data"]["food"], "pizza", "{rows}");
}

#[test]
fn a_memory_is_written_corrected_and_forgotten_with_a_receipt() {
    let fixture = DashboardFixture::start();
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "The kiln fires at 1200 degrees." }))
            ["id"]
            .clone();
    let path = format!("/v1/memories/{id}");
    let new = fixture.call(
        "PATCH",
        &path,
        &json!({ "text": "The kiln fires at 1240 degrees.", "reason": "new cones" }),
    );
    assert_eq!(new["superseded"], json!([id]));
    let hits =
        fixture.call("POST", "/v1/recall", &json!({ "query": "kiln degrees", "explain": true }));
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1, "{hits}");
    assert!(!hits["hits"][0]["parts"].as_array().unwrap().is_empty());
    let versions = fixture.read(&format!("{path}/versions"));
    assert_eq!(versions["versions"].as_array().unwrap().len(), 2);
    let receipt = fixture.call("POST", "/v1/memories/forget", &json!({ "memories": [id] }));
    assert_eq!(receipt["memories"].as_array().unwrap().len(), 2, "{receipt}");
    assert_eq!(fixture.ask(RawRequest::new("GET", &path)).status, 404);
}

#[test]
fn an_edit_of_another_version_is_a_conflict() {
    let fixture = DashboardFixture::start();
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "Tea is at four." }))["id"].clone();
    let path = format!("/v1/memories/{id}");
    let tag = fixture.ask(RawRequest::new("GET", &path)).header("etag").unwrap().to_owned();
    let edit = |text: &str, tag: &str| {
        fixture
            .ask(RawRequest::json("PATCH", &path, &json!({ "text": text })).header("If-Match", tag))
    };
    assert_eq!(edit("Tea is at five.", &tag).status, 200);
    let late = edit("Tea is at six.", &tag);
    assert_eq!((late.status, &late.json()["error"]["code"]), (409, &json!("conflict")));
    fixture.call("PATCH", "/v1/profile", &json!({ "patch": { "name": "Ines" } }));
    let stale = RawRequest::json("PATCH", "/v1/profile", &json!({ "patch": { "name": "Eve" } }))
        .header("If-Match", "\"p0\"");
    assert_eq!(fixture.ask(stale).status, 409);
    assert_eq!(fixture.read("/v1/profile")["profile"], json!({ "name": "Ines" }));
}

#[test]
fn an_earlier_profile_is_restored() {
    let fixture = DashboardFixture::start();
    fixture.call(
        "PATCH",
        "/v1/profile",
        &json!({ "patch": { "name": "Ines", "diet": { "vegan": true } } }),
    );
    fixture.call("PUT", "/v1/profile", &json!({ "profile": { "name": "Eve" } }));
    assert_eq!(fixture.read("/v1/profile")["profile"], json!({ "name": "Eve" }));
    fixture.call("POST", "/v1/profile/restore", &json!({ "version": 1 }));
    assert_eq!(
        fixture.read("/v1/profile")["profile"],
        json!({ "name": "Ines", "diet": { "vegan": true } })
    );
    assert_eq!(fixture.read("/v1/profile/versions")["total"], 3);
}

#[test]
fn rows_are_added_queried_changed_and_deleted() {
    let fixture = DashboardFixture::start();
    for (food, calories) in [("pizza", 800), ("soup", 300), ("pizza", 800)] {
        let data = json!({ "data": { "food": food, "calories": calories } });
        fixture.call("POST", "/v1/tables/meals/rows", &data);
    }
    let query = json!({ "filters": { "calories": { "gte": 500 } }, "order": "food" });
    assert_eq!(fixture.call("POST", "/v1/tables/meals/query", &query)["total"], 2);
    let row =
        fixture.call("PATCH", "/v1/tables/meals/rows/2", &json!({ "patch": { "calories": 350 } }));
    assert_eq!(row["data"], json!({ "food": "soup", "calories": 350 }));
    fixture.call("DELETE", "/v1/tables/meals/rows/2", &json!({}));
    assert_eq!(fixture.read("/v1/tables")[0]["rows"], 2);
    let csv = fixture.ask(RawRequest::new("GET", "/tables/meals/export?as=csv"));
    assert_eq!(csv.body.lines().count(), 3, "{}", csv.body);
    assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"meals.csv\""));
}

#[test]
fn memories_are_tagged_retired_and_restored_together_or_not_at_all() {
    let fixture = DashboardFixture::start();
    let ids: Vec<Value> = ["One.", "Two."]
        .map(|text| fixture.call("POST", "/v1/memories", &json!({ "text": text }))["id"].clone())
        .into();
    let tagged =
        fixture.call("POST", "/v1/memories/tag", &json!({ "memories": ids, "add": ["kiln"] }));
    assert_eq!(tagged["memories"][1]["tags"], json!(["kiln"]));
    let strange = json!({ "memories": [ids[0], 999] });
    assert_eq!(fixture.ask(RawRequest::json("POST", "/v1/memories/retire", &strange)).status, 404);
    assert_eq!(fixture.read("/v1/memories")["total"], 2);
    fixture.call("POST", "/v1/memories/retire", &json!({ "memories": ids }));
    assert_eq!(fixture.read("/v1/memories")["total"], 0);
    fixture.call("POST", "/v1/memories/unretire", &json!({ "memories": ids }));
    assert_eq!(fixture.read("/v1/memories?tag=kiln")["total"], 2);
}

#[test]
fn a_listing_continues_from_its_cursor() {
    let fixture = DashboardFixture::start();
    for n in 0..5 {
        fixture.call(
            "POST",
            "/v1/memories",
            &json!({ "text": format!("Number {n} of the list of numbers.") }),
        );
    }
    let (mut seen, mut cursor) = (0, String::new());
    loop {
        let page = fixture.read(&format!("/v1/memories?limit=2{cursor}"));
        seen += page["items"].as_array().unwrap().len();
        let Some(next) = page["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, 5);
}

#[test]
fn rivals_are_one_review_item_with_one_decision() {
    let fixture = DashboardFixture::start();
    let texts = ["The shed is painted green.", "Red covers our barn.", "A blue hut stands there."];
    let ids = texts.map(|text| fixture.remember_as("codex", &RememberRequest::text(text)));
    for (newer, older) in [(1, 0), (2, 1)] {
        let item = NewReview {
            kind: ReviewKind::Contradiction,
            reason: "another colour".into(),
            details: JsonMap::new(),
        };
        let (subject, against) = (Some(Ref::Id(ids[newer])), Some(Ref::Id(ids[older])));
        fixture.write(vec![Change::RaiseReview { item, subject, against }]);
    }
    let listed = fixture.read("/v1/review");
    assert_eq!(listed["total"], 1);
    let item = &listed["items"][0];
    let rivals: Vec<i64> =
        item["rivals"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect();
    assert_eq!(rivals, [ids[2].0, ids[1].0, ids[0].0]);
    assert_eq!(item["folded"].as_array().unwrap().len(), 1);
    let page = fixture.ask(RawRequest::new("GET", "/review")).body;
    assert!(page.contains("Keep the newest") && page.contains(texts[0]), "{page}");
    let path = format!("/v1/review/{}", item["id"]);
    fixture.call("POST", &path, &json!({ "resolution": "confirm" }));
    assert_eq!(fixture.read("/v1/review")["total"], 0);
    assert_eq!(fixture.read("/v1/memories?status=active")["total"], 1);
    fixture.call("POST", &format!("{path}/undo"), &json!({}));
    assert_eq!(fixture.read("/v1/memories?status=active")["total"], 3);
}

#[test]
fn invalid_input_is_refused_with_a_hint() {
    let fixture = DashboardFixture::start();
    let refused = |ask: RawRequest| {
        let answer = fixture.ask(ask);
        assert!((400..500).contains(&answer.status), "{answer:?}");
        let error = &answer.json()["error"];
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{answer:?}");
        error["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refused(RawRequest::json("POST", "/v1/memories", &json!({ "txt": "a" }))),
        "invalid_argument"
    );
    assert_eq!(
        refused(RawRequest::json("POST", "/v1/memories", &json!({ "text": " " }))),
        "invalid_argument"
    );
    assert_eq!(refused(RawRequest::new("GET", "/v1/memories?limit=many")), "invalid_argument");
    assert_eq!(refused(RawRequest::new("GET", "/v1/memories?stray=1")), "invalid_argument");
    assert_eq!(refused(RawRequest::new("GET", "/v1/memories/seven")), "invalid_argument");
    assert_eq!(refused(RawRequest::new("GET", "/v1/memories/7")), "not_found");
    assert_eq!(refused(RawRequest::new("PUT", "/v1/memories")), "invalid_argument");
    assert_eq!(
        refused(RawRequest::json("POST", "/v1/erase", &json!({ "confirm": "yes" }))),
        "invalid_argument"
    );
}

#[test]
fn a_receipt_of_erasing_everything_lists_backups_and_replaced_memories() {
    let fixture = DashboardFixture::start();
    let backup = fixture.call("POST", "/v1/backup", &json!({}))["file"].clone();
    let kept = fixture.home.path().join("backups/me-replaced-in-spring");
    std::fs::create_dir(&kept).unwrap();
    std::fs::write(kept.join("memory.db"), "an old memory").unwrap();
    let receipt = fixture.call("POST", "/v1/erase", &json!({ "confirm": "erase everything" }));
    assert_eq!(receipt["backups"], json!([backup, kept.display().to_string()]));
}

#[test]
fn a_backup_reports_its_file() {
    let fixture = DashboardFixture::start();
    fixture.call("POST", "/v1/memories", &json!({ "text": "Keep this." }));
    let backup = fixture.call("POST", "/v1/backup", &json!({}));
    let file = std::path::Path::new(backup["file"].as_str().unwrap());
    assert!(file.starts_with(fixture.home.path()) && file.is_file(), "{backup}");
    assert!(backup["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn the_description_names_every_operation_with_its_schemas() {
    let fixture = DashboardFixture::start();
    let description = fixture.read("/v1/openapi.json");
    assert_eq!(description["openapi"], "3.1.0");
    let paths = description["paths"].as_object().unwrap();
    for path in [
        "/v1/memories",
        "/v1/recall",
        "/v1/review/{id}",
        "/v1/tables/{table}/rows/{row}",
        "/v1/graph",
    ] {
        assert!(paths.contains_key(path), "{path}");
    }
    for path in ["work/{id}", "embedding", "audit", "keys/{id}"] {
        let answers = &paths[&format!("/v1/events/{path}")]["get"]["responses"]["200"]["content"];
        assert!(answers["text/event-stream"].is_object(), "{path}: {answers}");
    }
    let ids: Vec<&str> = paths
        .values()
        .flat_map(|path| path.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert!(description["components"]["schemas"]["MemoryJson"]["properties"]["text"].is_object());
}

#[test]
fn of_many_edits_from_one_version_exactly_one_succeeds() {
    let fixture = DashboardFixture::start();
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "Tea is at four." }))["id"].clone();
    let path = format!("/v1/memories/{id}");
    let tag = fixture.ask(RawRequest::new("GET", &path)).header("etag").unwrap().to_owned();
    let edit = |number: usize| {
        let body = json!({ "text": format!("Tea is at {number}.") });
        fixture.ask(RawRequest::json("PATCH", &path, &body).header("If-Match", &tag)).status
    };
    let done: Vec<u16> = std::thread::scope(|scope| {
        let edits: Vec<_> = (0..8).map(|number| scope.spawn(move || edit(number))).collect();
        edits.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(done.iter().filter(|status| **status == 200).count(), 1, "{done:?}");
    assert!(done.iter().all(|status| [200, 409].contains(status)), "{done:?}");
    let strange = RawRequest::json("PATCH", &path, &json!({ "text": "Tea?" }))
        .header("If-Match", "\"nonsense\"");
    assert_eq!(fixture.ask(strange).status, 409);
}

#[test]
fn operations_of_the_owner_are_refused_to_agents() {
    let fixture = DashboardFixture::start();
    let key = fixture.call("POST", "/v1/keys", &json!({ "agent": "codex", "scope": "write" }));
    fixture.call("PUT", "/v1/grants", &json!({ "agent": "codex", "grants": { "*": "write" } }));
    let secret = format!("Bearer {}", key["secret"].as_str().unwrap());
    for (method, path, body) in [
        ("GET", "/v1/activity", json!(null)),
        ("GET", "/v1/questions", json!(null)),
        ("DELETE", "/v1/questions/1", json!({})),
        ("PUT", "/v1/questions/kept", json!({ "kept": false })),
        ("GET", "/v1/memories/1/shown", json!(null)),
        ("POST", "/v1/review/1/undo", json!({})),
        ("GET", "/v1/backups", json!(null)),
        ("POST", "/v1/backups", json!({})),
        ("PUT", "/v1/backups/plan", json!({ "every_hours": 1 })),
        ("GET", "/v1/dialects", json!(null)),
        ("PUT", "/v1/dialects", json!({ "dialect": "quipu", "on": false })),
        ("POST", "/v1/login-links", json!({})),
        ("POST", "/v1/erase", json!({ "confirm": "erase everything" })),
        ("GET", "/v1/events/audit", json!(null)),
        ("GET", "/v1/events/keys/1", json!(null)),
        ("GET", "/v1/events/work/1", json!(null)),
        ("POST", "/v1/imports", json!({})),
        ("POST", "/v1/imports/1/parts", json!({ "data": "" })),
        ("POST", "/v1/imports/1/start", json!({})),
        ("POST", "/v1/exports", json!({ "format": "amem" })),
        ("GET", "/v1/work/1", json!(null)),
        ("GET", "/exported/1", json!(null)),
    ] {
        let ask = if body.is_null() {
            RawRequest::new(method, path)
        } else {
            RawRequest::json(method, path, &body)
        };
        let answer = ask.header("Authorization", &secret).send(fixture.address);
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.body);
    }
}

#[test]
fn a_contradiction_closes_when_one_of_its_sides_is_replaced() {
    let fixture = DashboardFixture::start();
    fixture.remember_as("codex", &RememberRequest::text("I live in Berlin."));
    fixture.remember_as("cursor", &RememberRequest::text("I do not live in Berlin."));
    assert_eq!(fixture.read("/v1/review")["total"], 1);
    fixture.call("PATCH", "/v1/memories/1", &json!({ "text": "The harbour is closed." }));
    assert_eq!(fixture.read("/v1/review")["total"], 0);
}

#[test]
fn details_and_links_of_a_memory_are_edited_without_a_new_version() {
    let fixture = DashboardFixture::start();
    for text in ["Clay comes on Tuesdays.", "The van is in the yard."] {
        fixture.call("POST", "/v1/memories", &json!({ "text": text }));
    }
    let details = json!({ "kind": "fact", "tags": ["clay"], "priority": 1, "project": "studio" });
    let edited = fixture.call("PATCH", "/v1/memories/1/details", &details);
    assert_eq!(
        (&edited["id"], &edited["kind"], &edited["priority"]),
        (&json!(1), &json!("fact"), &json!(1))
    );
    let cleared = fixture.call("PATCH", "/v1/memories/1/details", &json!({ "project": "" }));
    assert_eq!((cleared.get("project"), &cleared["tags"]), (None, &json!(["clay"])));
    let link = json!({ "target": 2, "kind": "related_to" });
    fixture.call("POST", "/v1/memories/1/links", &link);
    assert_eq!(fixture.read("/v1/memories/1")["links"][0]["target"], 2);
    fixture.call("DELETE", "/v1/memories/1/links", &link);
    assert_eq!(fixture.read("/v1/memories/1")["links"], json!([]));
    let replaced = RawRequest::json(
        "POST",
        "/v1/memories/1/links",
        &json!({ "target": 2, "kind": "supersedes" }),
    );
    assert_eq!(fixture.ask(replaced).status, 400);
}
