//! `quipu audit`: lists the audit log, verifies that it is intact, and sets its retention.

mod csv;
mod verification;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::store_choice::files_only;
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::{Style, TextPage};
use crate::time_argument;
use clap::{Args, Subcommand, ValueEnum};
use dashboard::{note_in_words, operation_in_words};
use engine::{resource_from_words, resource_in_words};
use model::{AgentName, AuditEvent, AuditOutcome, Moment, Page as PageRequest};
use serde_json::{Value, json};
use store::AuditQuery;
use store_sqlite::{Options, SqliteStore};

const EXAMPLES: &str = "\
Examples:
  quipu audit
  quipu audit list --agent codex --outcome refused --since 2026-05-03
  quipu audit list --csv > audit.csv
  quipu audit verify
  quipu audit head >> somewhere-else/audit-heads.txt
  quipu audit verify --head \"$(tail -1 somewhere-else/audit-heads.txt)\"
  quipu audit keep 365";

/// List and verify the audit log, and set its retention
///
/// The log contains every call, including reads and refusals: agent, client, tool, resource,
/// outcome, time and duration. It contains no texts; arguments are stored as a hash.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct AuditArgs {
    #[command(subcommand)]
    action: Option<AuditAction>,
    #[command(flatten)]
    list: AuditListArgs,
}

#[derive(Debug, Subcommand)]
enum AuditAction {
    /// List events, newest first (the default)
    #[command(after_long_help = "Example:\n  quipu audit list --tool remember -n 100")]
    List(AuditListArgs),
    /// Verify the hash chain; exits with 1 if it is broken
    ///
    /// Events that were changed, removed or moved are reported, and also a memory that was
    /// replaced by an older one, and a missing key, checkpoint file or head.
    #[command(
        after_long_help = "Examples:\n  quipu audit verify\n  quipu audit verify --head LINE"
    )]
    Verify(ChainVerifyArgs),
    /// Print the head of the log: one line to keep elsewhere, for `verify --head`
    ///
    /// Whoever can change every file of the memory can also change its log and the files that
    /// protect it. A line that is kept elsewhere reveals that.
    #[command(after_long_help = "Example:\n  quipu audit head >> somewhere-else/audit-heads.txt")]
    Head,
    /// Begin the log anew after a failed verification, once you know the reason
    ///
    /// The events stay, but those so far can no longer be verified. The files that showed the
    /// failure are kept beside the new ones as `audit.*.old`.
    #[command(after_long_help = "Example:\n  quipu audit restart")]
    Restart,
    /// Set how long events are kept
    #[command(after_long_help = "Example:\n  quipu audit keep 365")]
    Keep(RetentionArgs),
}

#[derive(Debug, Args)]
struct ChainVerifyArgs {
    /// Line that `quipu audit head` printed earlier; the log must contain it
    #[arg(long, value_name = "LINE")]
    head: Option<String>,
}

#[derive(Debug, Args)]
struct AuditListArgs {
    /// Only events of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only events of this tool or command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only events on this resource, or below it
    #[arg(long, value_name = "RESOURCE")]
    resource: Option<String>,
    /// Only events with this outcome
    #[arg(long, value_enum)]
    outcome: Option<OutcomeArg>,
    /// Only events from then on: a date, a time in UTC, yesterday, 3d or 2w
    #[arg(long, value_name = "WHEN", value_parser = time_argument::since)]
    since: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "WHEN", value_parser = time_argument::until)]
    until: Option<String>,
    /// Maximum number of events
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Number of events to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OutcomeArg {
    /// The call succeeded
    Done,
    /// The call was not permitted or not valid
    Refused,
    /// The call failed
    Failed,
}

#[derive(Debug, Args)]
struct RetentionArgs {
    /// Number of days, or `forever`
    days: String,
}

impl AuditArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when an argument is invalid, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let action = self.action.unwrap_or(AuditAction::List(self.list));
        setup
            .with_memory(async |memory| match action {
                AuditAction::List(list) => list.run(setup, memory).await,
                AuditAction::Verify(verify) => verify.run(setup, memory).await,
                AuditAction::Head => head(setup, memory).await,
                AuditAction::Restart => restart(setup, memory).await,
                AuditAction::Keep(keep) => keep.run(setup, memory).await,
            })
            .await
    }
}

impl AuditListArgs {
    async fn run(self, setup: &Setup, memory: &OpenMemory) -> Result<CommandOutput, Problem> {
        let range = PageRequest { limit: self.limit, offset: self.offset }.capped();
        let caller = memory.caller_for("audit list");
        let listed = memory.engine.admin().audit(&caller, &self.query()?, range).await?;
        if self.csv && setup.terminal.format == OutputFormat::Text {
            Terminal::print(&csv::table(&listed.items))?;
            return Ok(CommandOutput::empty(setup.terminal));
        }
        let mut page = TextPage::new(setup.terminal);
        page.columns(&listed.items.iter().map(row).collect::<Vec<_>>());
        let left_out = listed.left_out(range);
        if left_out > 0 {
            page.paragraph(
                0,
                Style::Faint,
                &format!("{left_out} more; use --offset and -n to show them."),
            );
        }
        let events: Vec<Value> = listed.items.iter().map(to_json).collect();
        Ok(CommandOutput::new(
            json!({ "events": events, "total": listed.total, "left_out": left_out }),
            page,
        ))
    }

    fn query(&self) -> Result<AuditQuery, Problem> {
        Ok(AuditQuery {
            agent: self.agent.as_deref().map(AgentName::new),
            tool: self.tool.clone(),
            resource: self.resource.as_deref().map(resource_from_words),
            outcome: self.outcome.map(|outcome| match outcome {
                OutcomeArg::Done => AuditOutcome::Done,
                OutcomeArg::Refused => AuditOutcome::Refused,
                OutcomeArg::Failed => AuditOutcome::Failed,
            }),
            from: parse_moment("--since", self.since.as_deref())?,
            until: parse_moment("--until", self.until.as_deref())?,
        })
    }
}

fn parse_moment(option: &str, text: Option<&str>) -> Result<Option<Moment>, Problem> {
    let read = |text| {
        Moment::parse(text)
            .map_err(|error| Problem::usage(error.to_string(), format!("Pass {option} a date.")))
    };
    text.map(read).transpose()
}

fn row(event: &AuditEvent) -> Vec<String> {
    let AuditEvent { id, author, resource, outcome, at, note, .. } = event;
    let who = format!("{} {}", author.agent, operation_in_words(author.dialect, &author.tool));
    vec![
        id.to_string(),
        at.to_string(),
        outcome.name().to_owned(),
        who,
        resource_in_words(resource),
        note_in_words(note),
    ]
}

fn to_json(event: &AuditEvent) -> Value {
    json!({
        "id": event.id.0,
        "at": event.at.to_string(),
        "outcome": event.outcome.name(),
        "agent": event.author.agent.as_str(),
        "client": event.author.client,
        "dialect": event.author.dialect.name(),
        "tool": event.author.tool,
        "resource": event.resource,
        "note": event.note,
        "duration_us": event.duration_us,
        "arguments": event.arguments.to_string(),
        "change": (event.seq.0 > 0).then_some(event.seq.0),
    })
}

/// Prints the head of an intact log.
async fn head(setup: &Setup, memory: &OpenMemory) -> Result<CommandOutput, Problem> {
    let report = memory.engine.admin().verify_audit(&memory.caller_for("audit head")).await?;
    let Some(anchor) = report.anchor(&memory.caller.owner) else {
        let hint = "`quipu audit verify` lists every fault.";
        return Err(Problem::failed(
            "the audit log is not intact, so it has no head to keep",
            hint,
        ));
    };
    let line = anchor.to_line();
    let mut page = TextPage::new(setup.terminal);
    page.headline(&[(Style::Plain, &line)]);
    Ok(CommandOutput::new(json!({ "head": line, "event": anchor.id.0 }), page))
}

/// Begins the chain anew, and logs that the owner did so.
async fn restart(setup: &Setup, memory: &OpenMemory) -> Result<CommandOutput, Problem> {
    if setup.config.store.is_some() {
        return Err(files_only("audit restart"));
    }
    let (admin, caller) = (memory.engine.admin(), memory.caller_for("audit restart"));
    let before = admin.verify_audit(&caller).await?;
    let mut page = TextPage::new(setup.terminal);
    if before.is_intact() {
        page.add_text("The audit log is intact; there is no reason to begin it anew.");
        return Ok(CommandOutput::new(json!({ "restarted": false }), page));
    }
    let options = Options { busy_timeout: setup.config.busy_timeout, ..Options::default() };
    let files = SqliteStore::open(setup.home.path(), options)?;
    files.restart_audit(&memory.caller.owner).await?;
    let faults = count_with_noun(before.faults.len(), "fault", "faults");
    let note = format!("began the audit log anew after {faults}");
    memory.engine.admin().note_owner_action(&caller, &note).await?;
    page.add_text(&format!("The audit log begins anew after {faults}."));
    page.add_text("Events so far stay, but can no longer be verified.");
    Ok(CommandOutput::new(json!({ "restarted": true, "faults": before.faults.len() }), page))
}

impl RetentionArgs {
    async fn run(self, setup: &Setup, memory: &OpenMemory) -> Result<CommandOutput, Problem> {
        let days = match self.days.trim() {
            "forever" => None,
            days => Some(days.parse().map_err(|_| {
                Problem::usage(
                    format!("`{days}` is not a number of days"),
                    "Pass a number, or `forever`.",
                )
            })?),
        };
        let caller = memory.caller_for("audit keep");
        memory.engine.admin().set_audit_retention(&caller, days).await?;
        let removed = memory.engine.admin().prune_audit(&caller).await?;
        let mut page = TextPage::new(setup.terminal);
        let period = days.map_or("forever".to_owned(), |days| format!("for {days} days"));
        page.add_text(&format!(
            "Events are kept {period}; removed {} now.",
            count_with_noun(removed, "event", "events")
        ));
        Ok(CommandOutput::new(json!({ "keep_days": days, "removed": removed }), page))
    }
}
