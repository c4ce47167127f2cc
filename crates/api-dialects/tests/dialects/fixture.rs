//! Test fixture: a dialect over an engine with a temporary store, the bundled model and a clock
//! that only advances on request.

use dialects::{DialectApi, Quipu};
use embed::BundledEmbedder;
use engine::{Caller, Clock, Engine, Parts};
use model::{
    AgentName, AuditEvent, AuditId, AuditOutcome, ContentHash, Failure, JsonMap, MemoryId, Moment,
    NewReview, OwnerId, ReviewKind, Seq,
};
use serde_json::Value;
use std::sync::Arc;
use store::{Batch, Change, ChangeResult, Ref, Store};
use testkit::{FakeClock, TempStore};

/// Dialect over an engine with a temporary store.
pub struct DialectFixture {
    pub engine: Arc<Engine>,
    pub clock: FakeClock,
    dialect: Arc<dyn DialectApi>,
    store: Arc<TempStore>,
}

struct DialectFixtureClock(FakeClock);

impl Clock for DialectFixtureClock {
    fn now(&self) -> Moment {
        self.0.now()
    }
}

impl DialectFixture {
    /// Creates an empty fixture on 3 May 2026 with Quipu's own dialect.
    pub async fn new() -> Self {
        Self::with_dialect(Quipu::default()).await
    }

    /// Creates an empty fixture on 3 May 2026 with the given dialect.
    pub async fn with_dialect(dialect: impl DialectApi + 'static) -> Self {
        let home = TempStore::new().await;
        let clock = FakeClock::at(Moment::parse("2026-05-03T12:00:00Z").unwrap());
        let parts = Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(BundledEmbedder::new()),
            clock: Arc::new(DialectFixtureClock(clock.clone())),
            snapshots: None,
        };
        Self {
            engine: Arc::new(Engine::new(parts)),
            clock,
            dialect: Arc::new(dialect),
            store: Arc::new(home),
        }
    }

    /// Returns a fixture over the same memory with another dialect.
    pub fn sharing_memory(&self, dialect: impl DialectApi + 'static) -> Self {
        let (engine, home) = (Arc::clone(&self.engine), Arc::clone(&self.store));
        Self { engine, clock: self.clock.clone(), dialect: Arc::new(dialect), store: home }
    }

    /// Calls a tool as an agent and checks the result against the tool's schema.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self
            .try_call("claude", tool, arguments)
            .await
            .unwrap_or_else(|failure| panic!("{tool}: {failure}"));
        self.assert_fits_schema(tool, &answer);
        answer
    }

    /// Calls a tool as the named agent.
    pub async fn try_call(
        &self,
        agent: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, Failure> {
        self.try_call_as(&self.caller(agent), tool, arguments).await
    }

    /// Returns the named agent as a caller of the dialect.
    pub fn caller(&self, agent: &str) -> Caller {
        let dialect = model::Dialect::parse(self.dialect.name()).unwrap();
        Caller::agent(OwnerId::me(), AgentName::new(agent), dialect)
    }

    /// Calls a tool as the given caller.
    pub async fn try_call_as(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, Failure> {
        let caller = caller.clone().with_tool(tool);
        self.dialect.call(&self.engine, &caller, tool, object(arguments)).await
    }

    /// Creates another owner on the same installation.
    pub async fn create_owner(&self, name: &str) -> OwnerId {
        let owner = OwnerId::new(name).unwrap();
        store::Control::create_owner(&**self.store, &owner, Moment(0)).await.unwrap();
        owner
    }

    /// Renders a result as text.
    pub fn render_text(&self, tool: &str, answer: &Value) -> String {
        self.dialect.render_text(tool, answer).expect("the dialect renders text")
    }

    /// Calls a tool that must fail, and returns the failure.
    pub async fn call_refused(&self, tool: &str, arguments: Value) -> Failure {
        self.try_call("claude", tool, arguments).await.expect_err("the call is refused")
    }

    /// Remembers a text and returns its id.
    pub async fn remember(&self, text: &str) -> i64 {
        self.call("remember", serde_json::json!({"text": text})).await["id"].as_i64().unwrap()
    }

    /// Raises a contradiction between two memories and returns the id of the review item.
    pub async fn contradict(&self, newer: i64, older: i64) -> i64 {
        let event = AuditEvent {
            id: AuditId(0),
            seq: Seq::ZERO,
            author: self.caller("claude").author,
            resource: "memory".into(),
            outcome: AuditOutcome::Done,
            at: self.clock.now(),
            duration_us: 0,
            arguments: ContentHash::of_text(""),
            note: String::new(),
        };
        let item = NewReview {
            kind: ReviewKind::Contradiction,
            reason: format!("{newer} or {older}"),
            details: JsonMap::new(),
        };
        let (subject, against) = (Some(Ref::Id(MemoryId(newer))), Some(Ref::Id(MemoryId(older))));
        let raise = Change::RaiseReview { item, subject, against };
        let written = self.store.write(&OwnerId::me(), Batch::new(event, vec![raise])).await;
        match written.unwrap().results[0] {
            ChangeResult::Review(id) => id.0,
            ref other => panic!("a review item, not {other:?}"),
        }
    }

    /// Asserts that a result fits the tool's schema.
    #[track_caller]
    pub fn assert_fits_schema(&self, tool: &str, answer: &Value) {
        let known = self.dialect.tools().iter().chain(self.dialect.unlisted_tools());
        let schema = &known.into_iter().find(|known| known.name == tool).unwrap().output;
        let properties = schema["properties"].as_object().unwrap();
        let wrapped = if answer.is_array() {
            serde_json::json!({ dialects::LIST_FIELD: answer })
        } else {
            answer.clone()
        };
        for (name, value) in wrapped.as_object().unwrap() {
            let expected = properties
                .get(name)
                .unwrap_or_else(|| panic!("{tool}: {name} is not in the schema"));
            let fits = match &expected["type"] {
                Value::Null => true,
                Value::Array(types) => types.iter().any(|known| known == type_of(value)),
                only => only == type_of(value) || (only == "number" && value.is_i64()),
            };
            assert!(fits, "{tool}.{name}: {value} is not {}", expected["type"]);
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            assert!(
                wrapped.get(name.as_str().unwrap()).is_some(),
                "{tool}: {name} is missing in {answer}"
            );
        }
    }
}

fn object(value: Value) -> JsonMap {
    value.as_object().expect("arguments are an object").clone()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
