//! `quipu keys`: the keys that let agents in over HTTP, made, listed, rotated and taken back.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::days_from_now;
use crate::page::Page;
use crate::setup::{Opened, Setup};
use clap::{Args, Subcommand, ValueEnum};
use engine::KeyForm;
use engine::credentials::{CreateKey, KeyCreated, RotateKey};
use engine::grants::SetGrant;
use model::{AgentName, Grant, KeyId, KeyInfo, Permission};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu keys create --agent codex --scope write --grant '*=write'
  quipu keys list
  quipu keys rotate 3
  quipu keys revoke 3";

const HOW_SHOWN: &str = "Clients show it as `Authorization: Bearer KEY` or `X-API-Key: KEY`, or in the URL: \
                         http://127.0.0.1:7717/mcp/t/KEY";

/// Make, list, rotate and take back the keys that let agents in over HTTP
///
/// A key stands for one agent of one owner and reaches as far as its scope and that agent's grants.
/// It is shown once; only its hash is kept.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a key for an agent; it is shown this once
    #[command(
        after_long_help = "Example:\n  quipu keys create --agent codex --scope write --grant '*=write'"
    )]
    Create(Create),
    /// List the keys, the newest first
    #[command(after_long_help = "Example:\n  quipu keys list --json")]
    List,
    /// Put a new key in the place of an old one, which goes on working for a while
    #[command(after_long_help = "Example:\n  quipu keys rotate 3 --overlap-hours 48")]
    Rotate(Rotate),
    /// Take a key back; it opens nothing from the next request on
    #[command(after_long_help = "Example:\n  quipu keys revoke 3")]
    Revoke(Which),
}

#[derive(Debug, Args)]
struct Create {
    /// The agent that it stands for
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// How far it reaches at most
    #[arg(long, value_enum, default_value_t = Scope::Read)]
    scope: Scope,
    /// What you call it [default: the agent's name]
    #[arg(long, value_name = "WORDS")]
    label: Option<String>,
    /// After how many days it ends [default: never]
    #[arg(long, value_name = "DAYS")]
    expires_in_days: Option<u32>,
    /// A grant to give the agent with it, such as tables/meals=write; may be repeated
    #[arg(long = "grant", value_name = "RESOURCE=PERMISSION")]
    grants: Vec<String>,
    /// Write it in the form that Epitome's clients accept; needs `epitome_keys = true`
    #[arg(long)]
    epitome: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// Only to read
    Read,
    /// To read and write
    Write,
}

#[derive(Debug, Args)]
struct Rotate {
    /// The key, by the number that the list shows
    id: i64,
    /// How many hours the old one goes on working [default: 24]
    #[arg(long, value_name = "HOURS")]
    overlap_hours: Option<u32>,
}

#[derive(Debug, Args)]
struct Which {
    /// The key, by the number that the list shows
    id: i64,
}

impl Keys {
    /// Does what was asked with keys.
    ///
    /// # Errors
    /// When there is no such key, or the store cannot answer.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mut page = Page::new(setup.screen);
        let value = setup
            .with_memory(async |memory| match self.action {
                Action::Create(create) => create.run(memory, &mut page).await,
                Action::List => list(memory, &mut page).await,
                Action::Rotate(rotate) => rotate.run(memory, &mut page).await,
                Action::Revoke(which) => revoke(memory, which.id, &mut page).await,
            })
            .await?;
        Ok(Answer::new(value, page))
    }
}

impl Create {
    async fn run(self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let caller = memory.using("keys create");
        let agent = AgentName::new(&self.agent);
        let grants: Vec<SetGrant> = self
            .grants
            .iter()
            .map(|written| read_grant(&agent, written))
            .collect::<Result<_, _>>()?;
        let input = CreateKey {
            label: self.label.unwrap_or_else(|| agent.to_string()),
            scope: match self.scope {
                Scope::Read => Permission::Read,
                Scope::Write => Permission::Write,
            },
            expires_at: self.expires_in_days.map(days_from_now),
            form: if self.epitome { KeyForm::Epitome } else { KeyForm::Quipu },
            agent,
        };
        // The grants first: a key that opens less than was meant is better than one that nobody
        // sees again.
        memory.engine.admin().set_grants(&caller, &grants).await?;
        let created = memory.credentials().create_key(&caller, &input).await?;
        let mine = |grant: &Grant| grant.agent == input.agent;
        let granted = memory.engine.admin().grants(&caller).await?.iter().any(mine);
        Ok(told(page, &created, (!granted).then_some(&input.agent)))
    }
}

impl Rotate {
    async fn run(self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let overlap_seconds = self.overlap_hours.map(|hours| hours.saturating_mul(3600));
        let input = RotateKey { key: KeyId(self.id), overlap_seconds };
        let created = memory.credentials().rotate_key(&memory.using("keys rotate"), &input).await?;
        let hours = overlap_seconds.unwrap_or(engine::credentials::OVERLAP_SECONDS) / 3600;
        page.say(&format!("Key {} goes on working for {hours} hours. The new one:", self.id));
        Ok(told(page, &created, None))
    }
}

async fn list(memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
    let keys = memory.credentials().keys(&memory.using("keys list")).await?;
    if keys.is_empty() {
        page.say("There are no keys. `quipu keys create --agent NAME` makes one.");
    } else {
        let head =
            ["id", "agent", "scope", "begins", "made", "last used", "stands"].map(str::to_owned);
        let rows = std::iter::once(head.to_vec()).chain(keys.iter().map(row));
        page.columns(&rows.collect::<Vec<_>>());
    }
    Ok(json!({ "keys": keys.iter().map(as_json).collect::<Vec<_>>() }))
}

async fn revoke(memory: &Opened, id: i64, page: &mut Page) -> Result<Value, Problem> {
    memory.credentials().revoke_key(&memory.using("keys revoke"), KeyId(id)).await?;
    page.say(&format!("Key {id} opens nothing any more."));
    Ok(json!({ "revoked": id }))
}

/// Shows a new key, and says when it opens nothing for want of a grant.
fn told(page: &mut Page, created: &KeyCreated, without_grants: Option<&AgentName>) -> Value {
    let key = &created.key;
    page.say(&format!(
        "Key {} for {}, to {}. It is shown this once:",
        created.id,
        key.agent,
        key.scope.name()
    ));
    page.blank().say(created.secret.reveal()).blank().say(HOW_SHOWN);
    if let Some(agent) = without_grants {
        page.say(&format!(
            "{agent} has no grants yet, so it opens nothing: quipu grants set {agent} '*' read"
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

/// `tables/meals=write` as a grant.
fn read_grant(agent: &AgentName, written: &str) -> Result<SetGrant, Problem> {
    let (resource, permission) = written.rsplit_once('=').unwrap_or((written, ""));
    let permission = Permission::parse(permission).ok_or_else(|| {
        let advice =
            "Write RESOURCE=PERMISSION, such as tables/meals=write; the permission is none, read or write.";
        Problem::usage(format!("`{written}` is no grant"), advice)
    })?;
    Ok(SetGrant { agent: agent.clone(), resource: resource.to_owned(), permission })
}

fn row(kept: &KeyInfo) -> Vec<String> {
    let last = kept.last_used_at.map_or_else(|| "never".to_owned(), |at| at.date());
    let (id, agent, scope) =
        (kept.id.to_string(), kept.key.agent.to_string(), kept.key.scope.name().to_owned());
    vec![id, agent, scope, kept.key.prefix.clone(), kept.created_at.date(), last, standing(kept)]
}

fn standing(kept: &KeyInfo) -> String {
    match (kept.revoked_at, kept.key.expires_at) {
        (Some(at), _) => format!("taken back {}", at.date()),
        (None, Some(end)) if kept.is_good(days_from_now(0)) => format!("good until {end}"),
        (None, Some(end)) => format!("ended {end}"),
        (None, None) => "good".to_owned(),
    }
}

fn as_json(kept: &KeyInfo) -> Value {
    let when = |moment: Option<model::Moment>| moment.map(|moment| moment.to_string());
    json!({
        "id": kept.id.0,
        "agent": kept.key.agent.as_str(),
        "label": kept.key.label,
        "scope": kept.key.scope.name(),
        "begins": kept.key.prefix,
        "created": kept.created_at.to_string(),
        "expires": when(kept.key.expires_at),
        "last_used": when(kept.last_used_at),
        "revoked": when(kept.revoked_at),
        "good": kept.is_good(days_from_now(0)),
    })
}
