//! `quipu review`: lists and resolves open review items, and flags wrong memories.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::arguments;
use crate::page::{Page, Style};
use crate::setup::Setup;
use crate::shown::{self, Memory};
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu review
  quipu review resolve 3 confirm
  quipu review flag 17 --reason \"this port was never right\"";

/// List and resolve contradictions, flags and proposals
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Review {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List open items with both sides (the default)
    #[command(after_long_help = "Example:\n  quipu review list -n 50")]
    List(List),
    /// Resolve an item
    #[command(after_long_help = "Example:\n  quipu review resolve 3 keep-both")]
    Resolve(Resolve),
    /// Flag a memory as wrong; it ranks last until the flag is resolved
    #[command(
        after_long_help = "Example:\n  quipu review flag 17 --reason \"this port was never right\""
    )]
    Flag(Flag),
}

#[derive(Debug, Args, Serialize)]
struct List {
    /// Maximum number of items [default: 10]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Args, Serialize)]
struct Resolve {
    /// Id of the item, as listed
    id: i64,
    /// Decision
    #[arg(value_enum)]
    resolution: Resolution,
}

/// A decision, under the names of the tool.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum Resolution {
    /// The memory in question is right and replaces the one it contradicts
    Confirm,
    /// The memory in question is wrong
    Reject,
    /// Both are right
    KeepBoth,
}

#[derive(Debug, Args, Serialize)]
struct Flag {
    /// Id of the wrong or misleading memory
    #[arg(value_name = "ID")]
    memory: i64,
    /// Explanation of what is wrong
    #[arg(long, value_name = "WHY")]
    reason: String,
}

/// Result of the action `list` of the tool `review`.
#[derive(Debug, Deserialize)]
struct Reviewed {
    #[serde(default)]
    reviews: Vec<Item>,
    #[serde(default)]
    left_out: usize,
}

#[derive(Debug, Deserialize)]
struct Item {
    id: i64,
    kind: String,
    why: String,
    date: String,
    by: String,
    memory: Option<Memory>,
    against: Option<Memory>,
    proposed: Option<Value>,
    resolved: Option<Resolved>,
}

#[derive(Debug, Deserialize)]
struct Resolved {
    r#as: String,
}

impl Review {
    /// Lists, resolves or flags.
    ///
    /// # Errors
    /// When the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let (action, mut given) = match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(list) => ("list", arguments(&list)?),
            Action::Resolve(decision) => ("resolve", arguments(&decision)?),
            Action::Flag(flag) => ("flag", arguments(&flag)?),
        };
        given.insert("action".into(), json!(action));
        let answer = setup.with_memory(async |memory| memory.ask("review", given).await).await?;
        let mut page = Page::new(setup.screen);
        write(&mut page, action, &answer)?;
        Ok(Answer::new(answer, page))
    }
}

fn write(page: &mut Page, action: &str, answer: &Value) -> Result<(), Problem> {
    match action {
        "resolve" => shown::read::<Item>(&answer["review"])?.write(page),
        "flag" => {
            let review = &answer["review"]["id"];
            page.say(&format!(
                "Flagged. It ranks last until you run `quipu review resolve {review} …`."
            ));
        }
        _ => {
            let listed: Reviewed = shown::read(answer)?;
            if listed.reviews.is_empty() {
                page.say("Nothing to review.");
            }
            for item in &listed.reviews {
                page.blank();
                item.write(page);
            }
            if listed.left_out > 0 {
                page.blank().paragraph(
                    0,
                    Style::Faint,
                    &format!("{} more; use -n to show them.", listed.left_out),
                );
            }
        }
    }
    Ok(())
}

impl Item {
    fn write(&self, page: &mut Page) {
        let head = format!("{} {}", self.kind, self.id);
        let resolved =
            self.resolved.as_ref().map(|one| format!("resolved: {}", one.r#as)).unwrap_or_default();
        page.headline(&[
            (Style::Strong, &head),
            (Style::Faint, &self.date),
            (Style::Faint, &self.by),
            (Style::Good, &resolved),
        ]);
        page.paragraph(2, Style::Plain, &self.why);
        for (name, side) in [("in question", &self.memory), ("against", &self.against)] {
            if let Some(memory) = side {
                page.paragraph(2, Style::Faint, name);
                memory.write(page);
            }
        }
        if let Some(proposed) = &self.proposed {
            page.paragraph(2, Style::Plain, &format!("proposed: {proposed}"));
        }
    }
}
