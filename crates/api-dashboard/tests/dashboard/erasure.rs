//! Erasing is the owner's over REST and in the dashboard: agents propose, the owner decides.

use crate::fixture::DashboardFixture;
use crate::raw_http::RawRequest;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// A key of an agent that may write everything.
fn agent_key(fixture: &DashboardFixture) -> String {
    let key = fixture.call("POST", "/v1/keys", &json!({ "agent": "codex", "scope": "write" }));
    fixture.call("PUT", "/v1/grants", &json!({ "agent": "codex", "grants": { "*": "write" } }));
    format!("Bearer {}", key["secret"].as_str().unwrap())
}

fn call_as(fixture: &DashboardFixture, key: &str, method: &str, path: &str, body: &Value) -> Value {
    let ask = RawRequest::json(method, path, body).header("Authorization", key);
    let answer = ask.send(fixture.address);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.json()
}

fn page(fixture: &DashboardFixture, path: &str) -> String {
    let answer = fixture.ask(RawRequest::new("GET", path));
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

#[test]
fn every_deletion_of_an_agent_waits_for_the_owner() {
    let fixture = DashboardFixture::start();
    let key = agent_key(&fixture);
    let id = fixture.call("POST", "/v1/memories", &json!({ "text": "Ada Lovelace has the key." }))
        ["id"]
        .clone();
    fixture.call("POST", "/v1/tables/meals/rows", &json!({ "data": { "food": "eel" } }));
    let entity = fixture.read("/v1/entities?name=Ada")["items"][0]["id"].clone();
    let ids = json!({ "memories": [id] });
    let forget = call_as(&fixture, &key, "POST", "/v1/memories/forget", &ids);
    assert_eq!((&forget["forgotten"], &forget["memories"]), (&json!(false), &json!([])));
    let retire = call_as(&fixture, &key, "POST", "/v1/memories/retire", &ids);
    assert_eq!(retire[0]["status"], "active");
    let row = call_as(&fixture, &key, "DELETE", "/v1/tables/meals/rows/1", &json!({}));
    let path = format!("/v1/entities/{entity}");
    let deleted = call_as(&fixture, &key, "DELETE", &path, &json!({}));
    for waiting in [&forget, &retire[0], &row, &deleted] {
        let said = waiting["proposal"]["said"].as_str().unwrap();
        assert!(said.contains("not deleted yet") && said.contains("quipu review"), "{said}");
    }
    assert_eq!(fixture.read("/v1/review?kind=proposal")["total"], 4);
    assert_eq!(fixture.read("/v1/memories")["total"], 2);
    let unretire = RawRequest::json("POST", "/v1/memories/unretire", &ids);
    let answer = unretire.header("Authorization", &key).send(fixture.address);
    assert_eq!(answer.status, 409, "{}", answer.body);
}

#[test]
fn the_owner_sees_the_texts_and_accepts_or_rejects() {
    let fixture = DashboardFixture::start();
    let key = agent_key(&fixture);
    let ids: Vec<Value> = ["The harbour opens at six.", "The lamp is green."]
        .map(|text| fixture.call("POST", "/v1/memories", &json!({ "text": text }))["id"].clone())
        .into();
    let mut reviews = Vec::new();
    for id in &ids {
        let ask = json!({ "memories": [id] });
        let answer = call_as(&fixture, &key, "POST", "/v1/memories/forget", &ask);
        reviews.push(answer["proposal"]["review"].clone());
    }
    let shown = page(&fixture, "/review");
    for part in ["Would be forgotten for good", "The harbour opens at six.", "this is final"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let decide = |review: &Value, resolution: &str| {
        let path = format!("/v1/review/{review}");
        fixture.call("POST", &path, &json!({ "resolution": resolution }))
    };
    let accepted = decide(&reviews[0], "confirm");
    assert_eq!(accepted["notes"], json!(["Forgotten for good: 1 memories."]));
    let places = accepted["erasure"]["places"].as_array().unwrap();
    assert!(places.contains(&json!({ "name": "memories", "count": 1 })), "{accepted}");
    let rejected = decide(&reviews[1], "reject");
    assert_eq!(rejected["notes"], json!([]));
    let left = fixture.read("/v1/memories");
    assert_eq!((&left["total"], &left["items"][0]["id"]), (&json!(1), &ids[1]));
    let decided = page(&fixture, "/review?decided=1");
    assert_eq!(decided.matches("/undo\"").count(), 1, "only the rejection can be undone");
}

#[test]
fn the_page_of_an_agent_offers_the_grant_to_erase() {
    let fixture = DashboardFixture::start();
    let key = agent_key(&fixture);
    let shown = page(&fixture, "/agents/one?agent=codex");
    let row = shown.split("name=\"erase\"").nth(1).unwrap().split("</select>").next().unwrap();
    assert!(row.contains("allow") && !row.contains("read"), "{row}");
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "Tea is at four." }))["id"].clone();
    let grant = |word: &str| {
        let body = json!({ "agent": "codex", "grants": { "erase": word } });
        fixture.ask(RawRequest::json("PUT", "/v1/grants", &body)).status
    };
    assert_eq!((grant("read"), grant("write")), (400, 200));
    let ids = json!({ "memories": [id] });
    let forget = call_as(&fixture, &key, "POST", "/v1/memories/forget", &ids);
    assert_eq!((&forget["forgotten"], forget.get("proposal")), (&json!(true), None));
}

#[test]
fn an_import_brings_forgotten_texts_back_when_the_owner_chooses_so() {
    let fixture = DashboardFixture::start();
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "Tea is at four." }))["id"].clone();
    let work = fixture.call("POST", "/v1/exports", &json!({ "format": "jsonl" }))["work"].clone();
    let file = wait_for(&fixture, &work)["file"].clone();
    let file = page(&fixture, file.as_str().unwrap());
    fixture.call("POST", "/v1/memories/forget", &json!({ "memories": [id] }));
    let import = |options: Value| {
        let work = fixture.call("POST", "/v1/imports", &json!({}))["work"].clone();
        let part = json!({ "data": BASE64_STANDARD.encode(&file) });
        fixture.call("POST", &format!("/v1/imports/{work}/parts"), &part);
        fixture.call("POST", &format!("/v1/imports/{work}/start"), &options);
        wait_for(&fixture, &work)["said"].as_str().unwrap().to_owned()
    };
    let said = import(json!({}));
    assert!(said.contains("1 text was not imported") && said.contains("include"), "{said}");
    assert_eq!(fixture.read("/v1/memories")["total"], 0);
    let said = import(json!({ "include_forgotten": true }));
    assert!(!said.contains("forgotten"), "{said}");
    assert_eq!(fixture.read("/v1/memories")["total"], 1);
}

#[test]
fn an_export_is_not_served_after_something_in_it_was_forgotten() {
    let fixture = DashboardFixture::start();
    let id =
        fixture.call("POST", "/v1/memories", &json!({ "text": "Tea is at four." }))["id"].clone();
    let work = fixture.call("POST", "/v1/exports", &json!({ "format": "jsonl" }))["work"].clone();
    let path = wait_for(&fixture, &work)["file"].as_str().unwrap().to_owned();
    assert!(page(&fixture, &path).contains("Tea is at four."));
    fixture.call("POST", "/v1/memories/forget", &json!({ "memories": [id] }));
    let refused = fixture.ask(RawRequest::new("GET", &path));
    assert_eq!((refused.status, refused.body.contains("Tea")), (404, false), "{}", refused.body);
}

/// Waits until a job has ended, and returns its result.
fn wait_for(fixture: &DashboardFixture, work: &Value) -> Value {
    loop {
        let job = fixture.read(&format!("/v1/work/{work}"));
        match job["state"].as_str().unwrap() {
            "done" => return job,
            "failed" => panic!("{job}"),
            _ => std::thread::yield_now(),
        }
    }
}
