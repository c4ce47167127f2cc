//! Members of a group in its dashboard, over `/v1`.

use crate::fixture::{BrowserLogin, DashboardFixture};
use crate::raw_http::{RawRequest, RawResponse};
use engine::Caller;
use engine::people::AddMemberRequest;
use model::{GroupRole, OwnerId, Permission};
use serde_json::{Value, json};
use store::Control;

fn owner(name: &str) -> OwnerId {
    OwnerId::new(name).unwrap()
}

impl DashboardFixture {
    /// Creates the group `team-x`, in which the owner of the server has a part, and Bo and Cy, who
    /// are in no group.
    pub fn add_group(&self, role: GroupRole) {
        let caller = Caller::person(owner("team-x")).with_tool("test");
        let request =
            AddMemberRequest { person: OwnerId::me(), role, permission: Permission::Write };
        self.with_engine(async |engine| {
            for name in ["bo", "cy"] {
                self.store.create_owner(&owner(name), engine.now()).await.unwrap();
            }
        });
        self.with_people(async |people| {
            people.create_group(&caller).await.unwrap();
            people.add_member(&caller, &request).await.unwrap();
        });
    }

    /// Logs in and shows the memory of the group.
    #[track_caller]
    fn log_in_to_group(&self) -> BrowserLogin {
        let browser = self.log_in();
        let chosen =
            self.ask_in_group(&browser, "PUT", "/v1/memory", &json!({ "memory": "team-x" }));
        assert_eq!(chosen.status, 200, "{chosen:?}");
        browser
    }

    fn ask_in_group(
        &self,
        browser: &BrowserLogin,
        method: &str,
        path: &str,
        body: &Value,
    ) -> RawResponse {
        let ask = match method {
            "GET" => RawRequest::new("GET", path),
            _ => RawRequest::json(method, path, body),
        };
        browser.send(ask.header("X-Form-Token", &browser.form_token), self.address)
    }
}

#[test]
fn an_admin_of_a_group_adds_changes_and_removes_members() {
    let fixture = DashboardFixture::start();
    fixture.add_group(GroupRole::Admin);
    let browser = fixture.log_in_to_group();
    let ask =
        |method: &str, body: &Value| fixture.ask_in_group(&browser, method, "/v1/members", body);
    let members = || ask("GET", &Value::Null).json();
    let me = json!({ "person": "me", "part": "admin" });
    assert_eq!(members(), json!([me]));
    for part in ["write", "read", "admin", "write"] {
        let put = ask("PUT", &json!({ "person": "bo", "part": part }));
        assert_eq!(put.status, 200, "{put:?}");
        assert_eq!(members(), json!([{ "person": "bo", "part": part }, me]));
    }
    let groups = fixture.with_people(async |people| people.groups_of(&owner("bo")).await.unwrap());
    assert_eq!(groups, [owner("team-x")], "Bo sees the group");
    let removed = ask("DELETE", &json!({ "person": "bo" }));
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(members(), json!([me]));
    let groups = fixture.with_people(async |people| people.groups_of(&owner("bo")).await.unwrap());
    assert!(groups.is_empty());
    assert_eq!(ask("DELETE", &json!({ "person": "bo" })).status, 404, "not a member any more");
    assert_eq!(ask("PUT", &json!({ "person": "nobody", "part": "read" })).status, 404);
    assert_eq!(ask("PUT", &json!({ "person": "cy", "part": "king" })).status, 400);
    let audit = fixture.ask_in_group(&browser, "GET", "/v1/audit", &Value::Null).body;
    assert!(audit.contains("added bo as member") && audit.contains("removed bo"), "{audit}");
}

#[test]
fn the_last_admin_stays_and_a_member_changes_nobody() {
    let fixture = DashboardFixture::start();
    fixture.add_group(GroupRole::Admin);
    let browser = fixture.log_in_to_group();
    let ask =
        |method: &str, body: &Value| fixture.ask_in_group(&browser, method, "/v1/members", body);
    for (method, body) in
        [("DELETE", json!({ "person": "me" })), ("PUT", json!({ "person": "me", "part": "read" }))]
    {
        let refused = ask(method, &body);
        assert_eq!(refused.status, 409, "{refused:?}");
        assert!(refused.body.contains("only admin"), "{refused:?}");
    }
    assert_eq!(ask("PUT", &json!({ "person": "bo", "part": "admin" })).status, 200);
    assert_eq!(ask("PUT", &json!({ "person": "me", "part": "read" })).status, 200);
    // From here on the session is that of a member.
    for (method, body) in [
        ("GET", Value::Null),
        ("PUT", json!({ "person": "cy", "part": "read" })),
        ("PUT", json!({ "person": "me", "part": "admin" })),
        ("DELETE", json!({ "person": "bo" })),
    ] {
        let refused = ask(method, &body);
        assert_eq!(refused.status, 403, "{method}: {refused:?}");
    }
}

#[test]
fn the_memory_of_one_person_has_no_members() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    let listed = fixture.ask_in_group(&browser, "GET", "/v1/members", &Value::Null);
    assert_eq!(listed.status, 400, "{listed:?}");
    let page = fixture.ask_in_group(&browser, "GET", "/settings", &Value::Null);
    assert!(page.status == 200 && !page.body.contains("id=\"members\""), "{}", page.body);
}
