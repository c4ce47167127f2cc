//! `quipu keys`: creates, lists, rotates and revokes the API keys of agents.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::days_from_now;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::{Args, Subcommand, ValueEnum};
use engine::KeyForm;
use engine::credentials::{CreateKeyOutcome, CreateKeyRequest, RotateKeyRequest};
use engine::grants::SetGrantRequest;
use model::{AgentName, Grant, KeyId, KeyInfo, Permission};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu keys create --agent codex --scope write --grant '*=write'
  quipu keys list
  quipu keys rotate 3
  quipu keys revoke 3";

const USAGE_HINT: &str = "Clients send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`, or \
                         in the URL: http://127.0.0.1:7717/mcp/t/KEY";

/// Create, list, rotate and revoke API keys of agents
///
/// A key authenticates one agent over HTTP. It permits what both its scope and the agent's grants
/// permit. The key is shown once; only its hash is stored.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct KeysArgs {
    #[command(subcommand)]
    action: KeysAction,
}

#[derive(Debug, Subcommand)]
enum KeysAction {
    /// Create a key for an agent; it is shown only once
    #[command(after_long_help = "Example:\n  quipu keys create --agent codex --scope write \
                           --grant '*=write'")]
    Create(CreateKeyArgs),
    /// List keys, newest first
    #[command(after_long_help = "Example:\n  quipu keys list --json")]
    List,
    /// Replace a key; the old one keeps working for a while
    #[command(after_long_help = "Example:\n  quipu keys rotate 3 --overlap-hours 48")]
    Rotate(RotateKeyArgs),
    /// Revoke a key, effective immediately
    #[command(after_long_help = "Example:\n  quipu keys revoke 3")]
    Revoke(KeyIdArgs),
}

#[derive(Debug, Args)]
struct CreateKeyArgs {
    /// Agent that uses the key
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// Maximum permission
    #[arg(long, value_enum, default_value_t = Scope::Read)]
    scope: Scope,
    /// Label of the key [default: the agent's name]
    #[arg(long, value_name = "WORDS")]
    label: Option<String>,
    /// Days until the key expires [default: never]
    #[arg(long, value_name = "DAYS")]
    expires_in_days: Option<u32>,
    /// Grant for the agent, such as tables/meals=write; can be repeated
    #[arg(long = "grant", value_name = "RESOURCE=PERMISSION")]
    grants: Vec<String>,
    /// Use the key format of Epitome's clients; requires `epitome_keys = true`
    #[arg(long)]
    epitome: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// Read only
    Read,
    /// Read and write
    Write,
}

#[derive(Debug, Args)]
struct RotateKeyArgs {
    /// Id of the key, as listed
    #[arg(value_parser = id_argument::key_id)]
    id: i64,
    /// Hours that the old key keeps working [default: 24]
    #[arg(long, value_name = "HOURS")]
    overlap_hours: Option<u32>,
}

#[derive(Debug, Args)]
struct KeyIdArgs {
    /// Id of the key, as listed
    #[arg(value_parser = id_argument::key_id)]
    id: i64,
}

impl KeysArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the key does not exist, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut page = TextPage::new(setup.terminal);
        let value = setup
            .with_memory(async |memory| match self.action {
                KeysAction::Create(create) => create.run(memory, &mut page).await,
                KeysAction::List => list(memory, &mut page).await,
                KeysAction::Rotate(rotate) => rotate.run(memory, &mut page).await,
                KeysAction::Revoke(which) => revoke(memory, which.id, &mut page).await,
            })
            .await?;
        Ok(CommandOutput::new(value, page))
    }
}

impl CreateKeyArgs {
    async fn run(self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let caller = memory.caller_for("keys create");
        let agent = AgentName::new(&self.agent);
        let grants: Vec<SetGrantRequest> = self
            .grants
            .iter()
            .map(|written| parse_grant(&agent, written))
            .collect::<Result<_, _>>()?;
        let input = CreateKeyRequest {
            label: self.label.unwrap_or_else(|| agent.to_string()),
            scope: match self.scope {
                Scope::Read => Permission::Read,
                Scope::Write => Permission::Write,
            },
            expires_at: self.expires_in_days.map(days_from_now),
            form: if self.epitome { KeyForm::Epitome } else { KeyForm::Quipu },
            agent,
        };
        // Grants first: if they fail, no key exists that was never shown to anybody.
        memory.engine.admin().set_grants(&caller, &grants).await?;
        let created = memory.credentials().create_key(&caller, &input).await?;
        let mine = |grant: &Grant| grant.agent == input.agent;
        let granted = memory.engine.admin().grants(&caller).await?.iter().any(mine);
        Ok(render_new_key(page, &created, (!granted).then_some(&input.agent)))
    }
}

impl RotateKeyArgs {
    async fn run(self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let overlap_seconds = self.overlap_hours.map(|hours| hours.saturating_mul(3600));
        let input = RotateKeyRequest { key: KeyId(self.id), overlap_seconds };
        let created =
            memory.credentials().rotate_key(&memory.caller_for("keys rotate"), &input).await?;
        let hours = overlap_seconds.unwrap_or(engine::credentials::OVERLAP_SECONDS) / 3600;
        page.add_text(&format!("Key {} keeps working for {hours} hours. New key:", self.id));
        Ok(render_new_key(page, &created, None))
    }
}

async fn list(memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
    let keys = memory.credentials().keys(&memory.caller_for("keys list")).await?;
    if keys.is_empty() {
        page.add_text("No keys yet. Create one with `quipu keys create --agent NAME`.");
    } else {
        let head =
            ["id", "agent", "scope", "prefix", "created", "last used", "status"].map(str::to_owned);
        let rows = std::iter::once(head.to_vec()).chain(keys.iter().map(row));
        page.columns(&rows.collect::<Vec<_>>());
    }
    Ok(json!({ "keys": keys.iter().map(to_json).collect::<Vec<_>>() }))
}

async fn revoke(memory: &OpenMemory, id: i64, page: &mut TextPage) -> Result<Value, Problem> {
    memory.credentials().revoke_key(&memory.caller_for("keys revoke"), KeyId(id)).await?;
    page.add_text(&format!("Key {id} is revoked."));
    Ok(json!({ "revoked": id }))
}

/// Renders a new key, with a warning if the agent has no grants yet.
fn render_new_key(
    page: &mut TextPage,
    created: &CreateKeyOutcome,
    without_grants: Option<&AgentName>,
) -> Value {
    let key = &created.key;
    page.add_text(&format!(
        "Key {} for {} with {} scope. It is shown only once:",
        created.id,
        key.agent,
        key.scope.name()
    ));
    page.blank().add_text(created.secret.reveal()).blank().add_text(USAGE_HINT);
    if let Some(agent) = without_grants {
        page.add_text(&format!(
            "{agent} has no grants yet, so the key permits nothing. Add one: quipu grants set \
             {agent} '*' read"
        ));
    }
    json!({
        "id": created.id.0,
        "key": created.secret.reveal(),
        "agent": key.agent.as_str(),
        "scope": key.scope.name(),
        "expires": key.expires_at.map(|end| end.to_string()),
    })
}

/// Parses a grant such as `tables/meals=write`.
fn parse_grant(agent: &AgentName, written: &str) -> Result<SetGrantRequest, Problem> {
    let (resource, permission) = written.rsplit_once('=').unwrap_or((written, ""));
    let permission = Permission::parse(permission).ok_or_else(|| {
        let advice = "Use RESOURCE=PERMISSION, such as tables/meals=write; the permission is none, \
                      read or write.";
        Problem::usage(format!("`{written}` is not a grant"), advice)
    })?;
    Ok(SetGrantRequest { agent: agent.clone(), resource: resource.to_owned(), permission })
}

fn row(info: &KeyInfo) -> Vec<String> {
    let last = info.last_used_at.map_or_else(|| "never".to_owned(), |at| at.date());
    let (id, agent, scope) =
        (info.id.to_string(), info.key.agent.to_string(), info.key.scope.name().to_owned());
    vec![id, agent, scope, info.key.prefix.clone(), info.created_at.date(), last, key_status(info)]
}

fn key_status(info: &KeyInfo) -> String {
    match (info.revoked_at, info.key.expires_at) {
        (Some(at), _) => format!("revoked {}", at.date()),
        (None, Some(end)) if info.is_valid(days_from_now(0)) => format!("valid until {end}"),
        (None, Some(end)) => format!("expired {end}"),
        (None, None) => "valid".to_owned(),
    }
}

fn to_json(info: &KeyInfo) -> Value {
    let when = |moment: Option<model::Moment>| moment.map(|moment| moment.to_string());
    json!({
        "id": info.id.0,
        "agent": info.key.agent.as_str(),
        "label": info.key.label,
        "scope": info.key.scope.name(),
        "begins": info.key.prefix,
        "created": info.created_at.to_string(),
        "expires": when(info.key.expires_at),
        "last_used": when(info.last_used_at),
        "revoked": when(info.revoked_at),
        "good": info.is_valid(days_from_now(0)),
    })
}
