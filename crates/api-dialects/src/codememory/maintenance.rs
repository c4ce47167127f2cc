//! `maintenance`: reclaims disk space, or deletes many memories at once. Deletions need
//! confirmation and erase everything derived from the deleted memories too; without confirmation
//! the error says what would be deleted. They mean what was written through this contract; what
//! the caller did not write itself waits for the owner.

use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::erasure::ErasureMode;
use engine::maintenance::{PruneRequest, PurgeAllRequest, PurgeSessionRequest, RemovalOutcome};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `maintenance`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Action to run.
    action: MaintenanceAction,
    /// Required by every action except vacuum.
    #[schemars(extend("default" = false))]
    confirm: Option<bool>,
    /// purge_session: the session.
    session_id: Option<String>,
    /// prune_older_than: deletes memories at least this many days old.
    older_than_days: Option<i64>,
}

/// Maintenance action.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MaintenanceAction {
    Vacuum,
    PurgeAll,
    PurgeSession,
    PruneOlderThan,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "maintenance",
    title: "Maintenance",
    description: "Only when the owner asks. vacuum reclaims unused space; purge_all, \
                  purge_session (session_id) and prune_older_than (older_than_days) delete for \
                  good and need confirm. Without it they report what would be deleted. \
                  Example: {\"action\": \"purge_session\", \
                  \"session_id\": \"shop:2026-01-04\", \"confirm\": true}",
    input: arguments::schema::<Arguments>,
    output: "status: string, action: string, deleted?: integer, places?: object, \
             freed_bytes?: integer, message?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let confirm = arguments.confirm.unwrap_or(false);
    match arguments.action {
        MaintenanceAction::Vacuum => {
            let freed = engine.admin().compact(caller).await?;
            Ok(json!({ "status": "ok", "action": "vacuum", "freed_bytes": freed }))
        }
        MaintenanceAction::PurgeAll => Ok(render_removal(
            "purge_all",
            &engine.admin().purge_all(caller, &PurgeAllRequest { confirm }).await?,
        )),
        MaintenanceAction::PurgeSession => {
            let session =
                engine.sessions().resolve_session_name(caller, &arguments.session()?).await?;
            let input = PurgeSessionRequest { session, confirm };
            Ok(render_removal(
                "purge_session",
                &engine.admin().purge_session(caller, &input).await?,
            ))
        }
        MaintenanceAction::PruneOlderThan => {
            let older_than_days = arguments.days()?;
            // The contract promises deletion; retiring would leave the texts in the history.
            let input = PruneRequest { older_than_days, mode: ErasureMode::Forget, confirm };
            Ok(render_removal("prune_older_than", &engine.admin().prune(caller, &input).await?))
        }
    }
}

impl Arguments {
    fn session(&self) -> Result<String, Failure> {
        let named = self.session_id.clone().filter(|session| !session.trim().is_empty());
        named.ok_or_else(|| Failure::invalid("purge_session needs session_id"))
    }

    fn days(&self) -> Result<u32, Failure> {
        let days = self.older_than_days;
        let days =
            days.ok_or_else(|| Failure::invalid("prune_older_than needs older_than_days"))?;
        limits::range("older_than_days", days as f64, 1.0, f64::from(u32::MAX))?;
        Ok(days as u32)
    }
}

fn render_removal(action: &str, removal: &RemovalOutcome) -> Value {
    let places: JsonMap =
        removal.places.iter().map(|(place, count)| (place.clone(), Value::from(*count))).collect();
    let mut answer = JsonMap::from_iter([
        ("status".to_owned(), Value::from("ok")),
        ("action".to_owned(), action.into()),
        ("deleted".to_owned(), removal.memories.into()),
        ("places".to_owned(), Value::Object(places)),
    ]);
    if let Some(proposal) = &removal.proposal {
        answer.insert("status".into(), "pending_review".into());
        answer.insert("message".into(), proposal.message().into());
    }
    Value::Object(answer)
}
