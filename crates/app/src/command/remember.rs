//! `quipu remember`: a text, a row of a table, a field of the profile, or a whole stream of lines.

mod lines;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{arguments, json_object, text_from};
use crate::page::Page;
use crate::setup::Setup;
use crate::shown::{self, Remembered};
use clap::Args;
use model::{JsonMap, LinkKind, limits};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  quipu remember -k decision \"We chose PostgreSQL for its row-level security.\"
  quipu remember --table meals --data '{\"food\": \"pizza\", \"calories\": 800}'
  quipu remember --profile '{\"diet\": \"vegan\"}'
  git log -1 --format=%B | quipu remember --kind note --tag release
  quipu remember --each-line < facts.txt";

/// Remember something: a decision, a fact, a preference, a row, a profile field
///
/// The text is the rest of the line, or standard input when there is none. Every agent can recall
/// it at once. You are told the number it got, or that it is there already, and what it
/// contradicts.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Remember {
    /// What to remember: one idea, in a sentence that stands alone
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    #[command(flatten)]
    details: Details,
    /// Belongs to no project, wherever you are
    #[arg(long, conflicts_with = "project")]
    everywhere: bool,
    /// Every line of standard input is a memory; each is answered with its number once it is on
    /// disk
    #[arg(long, conflicts_with_all = ["text", "table", "profile", "idempotency_key"])]
    each_line: bool,
}

/// What can be said about a memory, named as the tool `remember` names it.
#[derive(Debug, Clone, Args, Serialize)]
struct Details {
    /// A short headline
    #[arg(long)]
    title: Option<String>,
    /// fact, decision, preference, inference, skill, episode, note or a word of your own [default:
    /// note]
    #[arg(long, short)]
    kind: Option<String>,
    /// A label; repeat it for more
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
    /// The project it belongs to [default: the checkout you are in]
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// The session it belongs to, by number or key
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// 1, the most important, to 5 [default: 3]
    #[arg(long, value_name = "1-5")]
    priority: Option<u8>,
    /// How sure it is, 0 to 1 [default: 0.9]
    #[arg(long, value_name = "0-1")]
    confidence: Option<f32>,
    /// A link to a memory, as in caused_by:17; repeat it for more
    #[arg(long = "link", value_name = "KIND:ID", value_parser = link)]
    links: Vec<LinkTo>,
    /// The memory it replaces; repeat it for more
    #[arg(long, value_name = "ID")]
    supersedes: Vec<i64>,
    /// The date after which it no longer holds, as in 2026-05-03
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// The date it is about, if not today
    #[arg(long, value_name = "DATE")]
    when: Option<String>,
    /// The table for --data; it appears when first used
    #[arg(long, value_name = "NAME", requires = "data")]
    table: Option<String>,
    /// A row for the table, as a JSON object
    #[arg(long, value_name = "JSON", requires = "table", value_parser = json_object)]
    data: Option<JsonMap>,
    /// Fields of your profile to change, as a JSON object; null removes one
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    profile: Option<JsonMap>,
    /// Where it comes from, if not from you: inferred, or outside for what you quote
    #[arg(long, value_name = "inferred|outside")]
    source: Option<String>,
    /// The same key writes once, so that a script can try again
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Keep it although you had it forgotten
    #[arg(long)]
    allow_forgotten: bool,
}

#[derive(Debug, Clone, Serialize)]
struct LinkTo {
    to: i64,
    kind: &'static str,
}

fn link(text: &str) -> Result<LinkTo, String> {
    let (kind, to) = text.split_once(':').ok_or("write it as caused_by:17")?;
    let known = || LinkKind::ALL.map(LinkKind::name).join(", ");
    let kind = LinkKind::parse(kind)
        .ok_or_else(|| format!("`{kind}` is no kind of link; use {}", known()))?;
    let to = to.trim().parse().map_err(|_| format!("`{to}` is no number of a memory"))?;
    Ok(LinkTo { to, kind: kind.name() })
}

impl Remember {
    /// Remembers.
    ///
    /// # Errors
    /// As the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let given = arguments(&self.details)?;
        if self.each_line {
            return lines::remember_lines(setup, &given, self.everywhere).await;
        }
        let stands_alone = self.details.table.is_some() || self.details.profile.is_some();
        let text = if stands_alone && self.text.is_empty() {
            None
        } else {
            text_from(&self.text, limits::TEXT_BYTES)?
        };
        if text.is_none() && !stands_alone {
            return Err(Problem::usage(
                "there is nothing to remember",
                "Say it: quipu remember \"We chose Postgres.\"",
            ));
        }
        let answer = setup.with_memory(async |memory| {
            let memory = if self.everywhere { &memory.outside_projects() } else { memory };
            memory.ask("remember", with_text(given, text)).await
        });
        let answer = answer.await?;
        let mut page = Page::new(setup.screen);
        shown::read::<Remembered>(&answer)?.write(&mut page);
        Ok(Answer::new(answer, page))
    }
}

fn with_text(mut given: JsonMap, text: Option<String>) -> JsonMap {
    given.extend(text.map(|text| ("text".to_owned(), text.into())));
    given
}
