//! `quipu audit`: lists the audit log, verifies that it is intact, and sets its retention.

mod csv;

use crate::answer::Answer;
use crate::exit::{Exit, Problem};
use crate::page::{Page, Style};
use crate::screen::{Form, Screen};
use crate::setup::{Opened, Setup};
use crate::shown::counted;
use clap::{Args, Subcommand, ValueEnum};
use model::{AgentName, AuditEvent, Moment, Outcome, Page as PageRequest};
use serde_json::{Value, json};
use store::{AuditQuery, ChainFault, ChainReport};

const EXAMPLES: &str = "\
Examples:
  quipu audit
  quipu audit list --agent codex --outcome refused --since 2026-05-03
  quipu audit list --csv > audit.csv
  quipu audit verify
  quipu audit keep 365";

/// List and verify the audit log, and set its retention
///
/// The log contains every call, including reads and refusals: agent, client, tool, resource,
/// outcome, time and duration. It contains no texts; arguments are stored as a hash.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Audit {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List events, newest first (the default)
    #[command(after_long_help = "Example:\n  quipu audit list --tool remember -n 100")]
    List(List),
    /// Verify the hash chain; exits with 1 if it is broken
    #[command(after_long_help = "Example:\n  quipu audit verify")]
    Verify,
    /// Set how long events are kept
    #[command(after_long_help = "Example:\n  quipu audit keep 365")]
    Keep(Keep),
}

#[derive(Debug, Args)]
struct List {
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
    outcome: Option<Ended>,
    /// Only events from this time on: a date, or a date and time in UTC
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "WHEN")]
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
enum Ended {
    /// The call succeeded
    Done,
    /// The call was not permitted or not valid
    Refused,
    /// The call failed
    Failed,
}

#[derive(Debug, Args)]
struct Keep {
    /// Number of days, or `forever`
    days: String,
}

impl Audit {
    /// Runs the action.
    ///
    /// # Errors
    /// When an argument is invalid, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let action = self.action.unwrap_or(Action::List(self.list));
        setup
            .with_memory(async |memory| match action {
                Action::List(list) => list.run(setup, memory).await,
                Action::Verify => verify(setup, memory).await,
                Action::Keep(keep) => keep.run(setup, memory).await,
            })
            .await
    }
}

impl List {
    async fn run(self, setup: &Setup, memory: &Opened) -> Result<Answer, Problem> {
        let range = PageRequest { limit: self.limit, offset: self.offset }.capped();
        let caller = memory.using("audit list");
        let listed = memory.engine.admin().audit(&caller, &self.query()?, range).await?;
        if self.csv && setup.screen.form == Form::Text {
            Screen::print(&csv::table(&listed.items))?;
            return Ok(Answer::nothing(setup.screen));
        }
        let mut page = Page::new(setup.screen);
        page.columns(&listed.items.iter().map(row).collect::<Vec<_>>());
        let left_out = listed.left_out(range);
        if left_out > 0 {
            page.paragraph(
                0,
                Style::Faint,
                &format!("{left_out} more; use --offset and -n to show them."),
            );
        }
        let events: Vec<Value> = listed.items.iter().map(as_json).collect();
        Ok(Answer::new(
            json!({ "events": events, "total": listed.total, "left_out": left_out }),
            page,
        ))
    }

    fn query(&self) -> Result<AuditQuery, Problem> {
        Ok(AuditQuery {
            agent: self.agent.as_deref().map(AgentName::new),
            tool: self.tool.clone(),
            resource: self.resource.clone(),
            outcome: self.outcome.map(|ended| match ended {
                Ended::Done => Outcome::Done,
                Ended::Refused => Outcome::Refused,
                Ended::Failed => Outcome::Failed,
            }),
            from: moment("--since", self.since.as_deref())?,
            until: moment("--until", self.until.as_deref())?,
        })
    }
}

fn moment(option: &str, text: Option<&str>) -> Result<Option<Moment>, Problem> {
    let read = |text| {
        Moment::parse(text)
            .map_err(|error| Problem::usage(error.to_string(), format!("Pass {option} a date.")))
    };
    text.map(read).transpose()
}

fn row(event: &AuditEvent) -> Vec<String> {
    let AuditEvent { id, author, resource, outcome, at, note, .. } = event;
    let who = format!("{} {}", author.agent, author.tool);
    vec![
        id.to_string(),
        at.to_string(),
        outcome.name().to_owned(),
        who,
        resource.clone(),
        note.clone(),
    ]
}

fn as_json(event: &AuditEvent) -> Value {
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

async fn verify(setup: &Setup, memory: &Opened) -> Result<Answer, Problem> {
    let report = memory.engine.admin().verify_audit(&memory.using("audit verify")).await?;
    let mut page = Page::new(setup.screen);
    let ChainReport { events, before, newest, marks, faults } = &report;
    let against = counted(*marks, "checkpoint", "checkpoints");
    for fault in faults {
        page.headline(&[(Style::Bad, &place(fault)), (Style::Plain, &fault.what)]);
    }
    if report.holds() {
        page.say(&format!(
            "The audit log is intact: {} verified against {against}.",
            counted(*events, "event", "events")
        ));
    } else {
        page.say(&format!(
            "The audit log is damaged: {}.",
            counted(faults.len(), "fault", "faults")
        ));
    }
    if *before > 0 {
        page.say(&format!(
            "{} older than the chain cannot be verified.",
            counted(*before, "event", "events")
        ));
    }
    let fault_json = |fault: &ChainFault| {
        let (first, last) = (fault.first.0, fault.last.0);
        json!({ "first": first, "last": last, "what": fault.what })
    };
    let value = json!({
        "holds": report.holds(),
        "events": events,
        "before": before,
        "newest": newest.map(|id| id.0),
        "checkpoints": marks,
        "faults": faults.iter().map(fault_json).collect::<Vec<_>>(),
    });
    let exit = if report.holds() { Exit::Done } else { Exit::Failed };
    Ok(Answer::new(value, page).ending(exit))
}

fn place(fault: &ChainFault) -> String {
    match (fault.first.0, fault.last.0) {
        (0, 0) => "checkpoints".to_owned(),
        (first, last) if first == last => format!("event {first}"),
        (first, last) => format!("events {first} to {last}"),
    }
}

impl Keep {
    async fn run(self, setup: &Setup, memory: &Opened) -> Result<Answer, Problem> {
        let days = match self.days.trim() {
            "forever" => None,
            days => Some(days.parse().map_err(|_| {
                Problem::usage(
                    format!("`{days}` is not a number of days"),
                    "Pass a number, or `forever`.",
                )
            })?),
        };
        let caller = memory.using("audit keep");
        memory.engine.admin().keep_audit(&caller, days).await?;
        let removed = memory.engine.admin().prune_audit(&caller).await?;
        let mut page = Page::new(setup.screen);
        let period = days.map_or("forever".to_owned(), |days| format!("for {days} days"));
        page.say(&format!(
            "Events are kept {period}; removed {} now.",
            counted(removed, "event", "events")
        ));
        Ok(Answer::new(json!({ "keep_days": days, "removed": removed }), page))
    }
}
