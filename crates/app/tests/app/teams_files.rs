//! Imports and exports in the dashboard over two servers: what one began, another goes on with, and
//! nobody else sees it.

use crate::teams_groups::{GroupTeam, MemberBrowser};
use serde_json::{Value, json};

/// `- The lamp is green.` and a line break, in base64.
const LAMP: &str = "LSBUaGUgbGFtcCBpcyBncmVlbi4K";
/// `- The kettle is blue.` and a line break, in base64.
const KETTLE: &str = "LSBUaGUga2V0dGxlIGlzIGJsdWUuCg==";

impl GroupTeam {
    #[track_caller]
    fn change(&self, who: &MemberBrowser, server: usize, path: &str, body: &Value) -> Value {
        let answer = self.ask(who, server, &format!("POST {path}"), body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// Waits for the end of a job, asking both servers in turn.
    #[track_caller]
    fn end_of_job(&self, who: &MemberBrowser, job: i64) -> Value {
        for turn in 0.. {
            let state = self.read(who, turn % 2, &format!("/v1/work/{job}"));
            if state["state"] != "going" {
                return state;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        unreachable!("the numbers do not end");
    }
}

#[test]
fn a_file_is_uploaded_imported_exported_and_downloaded_through_two_servers() {
    let Some(team) = GroupTeam::start("files") else { return };
    let ada = team.sign_in("subject-1", "ada", [0, 1]);
    let bo = team.sign_in("subject-2", "bo", [1, 0]);
    let job = team.change(&ada, 0, "/v1/imports", &json!({}))["work"].as_i64().unwrap();
    for (server, data) in [(1, LAMP), (0, KETTLE)] {
        let part = json!({ "data": data });
        team.change(&ada, server, &format!("/v1/imports/{job}/parts"), &part);
    }
    let (start, input) = (format!("/v1/imports/{job}/start"), json!({ "name": "list.md" }));
    for server in [0, 1] {
        let foreign = team.ask(&bo, server, &format!("POST {start}"), &input);
        assert_eq!(foreign.status, 404, "of another owner: {}", foreign.body);
    }
    team.change(&ada, 1, &start, &input);
    assert_eq!(team.ask(&ada, 0, &format!("POST {start}"), &input).status, 409, "once");
    let imported = team.end_of_job(&ada, job);
    assert_eq!(imported["said"], "Imported from a Markdown list: 2 memories", "{imported}");
    assert_eq!((team.total(&ada, 0), team.total(&ada, 1)), (2, 2));

    let begun = team.change(&ada, 0, "/v1/exports", &json!({ "format": "jsonl" }));
    let job = begun["work"].as_i64().unwrap();
    let exported = team.end_of_job(&ada, job);
    let file = exported["file"].as_str().expect("a file was made");
    for server in [0, 1] {
        let download = team.ask(&ada, server, &format!("GET {file}"), &Value::Null);
        assert_eq!(download.status, 200, "{}", download.body);
        assert!(download.headers["content-disposition"].contains("quipu-ada-"));
        assert!(download.body.contains("The kettle is blue."), "{}", download.body);
        let foreign = team.ask(&bo, server, &format!("GET {file}"), &Value::Null);
        assert_eq!(foreign.status, 404, "of another owner: {}", foreign.body);
        let watched = team.ask(&bo, server, &format!("GET /v1/work/{job}"), &Value::Null);
        assert_eq!(watched.status, 404, "{}", watched.body);
    }
    // What is forgotten is in no file that waits to be downloaded.
    let memories = team.read(&ada, 1, "/v1/memories");
    let memory = memories["items"][0]["id"].as_i64().unwrap();
    team.change(&ada, 1, "/v1/memories/forget", &json!({ "memories": [memory] }));
    assert_eq!(team.ask(&ada, 0, &format!("GET {file}"), &Value::Null).status, 404);
}
