//! `quipu audit`: who did what, whether the log is whole, and for how long it is kept.

mod csv;

use crate::answer::Answer;
use crate::exit::{Exit, Problem};
use crate::page::{Page, Style};
use crate::screen::{Form, Screen};
use crate::setup::{Opened, Setup};
use crate::shown::counted;
use clap::{Args, Subcommand, ValueEnum};
use model::{AgentName, AuditEvent, Moment, Outcome, Page as Part};
use serde_json::{Value, json};
use store::{AuditQuery, ChainFault, ChainReport};

const EXAMPLES: &str = "\
Examples:
  quipu audit
  quipu audit list --agent codex --outcome refused --since 2026-05-03
  quipu audit list --csv > audit.csv
  quipu audit verify
  quipu audit keep 365";

/// See who did what, check that nobody changed the log, and say how long it is kept
///
/// Every call of every agent is in it, also reads and what was refused: who, through which client
/// and tool, on what, how it ended, when and how long. Texts are not; arguments are kept as a hash.
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
    /// List events, the newest first (the default)
    #[command(after_long_help = "Example:\n  quipu audit list --tool remember -n 100")]
    List(List),
    /// Walk along the chain and say where it does not hold; ends with 1 if it does not
    #[command(after_long_help = "Example:\n  quipu audit verify")]
    Verify,
    /// Say for how many days events are kept, or `forever`
    #[command(after_long_help = "Example:\n  quipu audit keep 365")]
    Keep(Keep),
}

#[derive(Debug, Args)]
struct List {
    /// Only by this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only through this tool or command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only on this resource, or below it
    #[arg(long, value_name = "RESOURCE")]
    resource: Option<String>,
    /// Only what ended so
    #[arg(long, value_enum)]
    outcome: Option<Ended>,
    /// Only from this time on: a date, or a date and time in UTC
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// How many at most
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// How many to pass over first
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// As comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Ended {
    /// It was done
    Done,
    /// It was not allowed, or not acceptable
    Refused,
    /// It failed
    Failed,
}

#[derive(Debug, Args)]
struct Keep {
    /// How many days, or `forever`
    days: String,
}

impl Audit {
    /// Lists, verifies, or says for how long.
    ///
    /// # Errors
    /// When an argument is not right, or the store cannot answer.
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
        let part = Part { limit: self.limit, offset: self.offset }.capped();
        let listed =
            memory.engine.admin().audit(&memory.using("audit list"), &self.query()?, part).await?;
        if self.csv && setup.screen.form == Form::Text {
            Screen::print(&csv::table(&listed.items))?;
            return Ok(Answer::nothing(setup.screen));
        }
        let mut page = Page::new(setup.screen);
        page.columns(&listed.items.iter().map(row).collect::<Vec<_>>());
        let left_out = listed.left_out(part);
        if left_out > 0 {
            page.paragraph(
                0,
                Style::Faint,
                &format!("{left_out} more; --offset and -n show them."),
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
            .map_err(|error| Problem::usage(error.to_string(), format!("`{option}` takes a date.")))
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
            "The audit log is whole: {}, held against {against}.",
            counted(*events, "event", "events")
        ));
    } else {
        page.say(&format!(
            "The audit log is not whole: {}.",
            counted(faults.len(), "fault", "faults")
        ));
    }
    if *before > 0 {
        page.say(&format!(
            "{} came before the chain began; nothing can be said of them.",
            counted(*before, "event", "events")
        ));
    }
    let told = |fault: &ChainFault| json!({ "first": fault.first.0, "last": fault.last.0, "what": fault.what });
    let value = json!({
        "holds": report.holds(),
        "events": events,
        "before": before,
        "newest": newest.map(|id| id.0),
        "checkpoints": marks,
        "faults": faults.iter().map(told).collect::<Vec<_>>(),
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
                    format!("`{days}` is no number of days"),
                    "Give a number, or `forever`.",
                )
            })?),
        };
        let caller = memory.using("audit keep");
        memory.engine.admin().keep_audit(&caller, days).await?;
        let removed = memory.engine.admin().prune_audit(&caller).await?;
        let mut page = Page::new(setup.screen);
        let kept = days
            .map_or("for as long as there is room".to_owned(), |days| format!("for {days} days"));
        page.say(&format!(
            "Events are kept {kept}; {} went now.",
            counted(removed, "event", "events")
        ));
        Ok(Answer::new(json!({ "keep_days": days, "removed": removed }), page))
    }
}
