//! `quipu demo`: fills a temporary memory with half a year of work, runs five recalls on it, and
//! removes it.

mod story;

use super::recall;
use crate::clock::SettableClock;
use crate::command_output::CommandOutput;
use crate::config::{Config, EmbedderConfig};
use crate::embedder::ConfiguredEmbedder;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::{OpenMemory, Setup, open_at};
use crate::text_page::{Style, TextPage};
use clap::Args;
use engine::{Clock, estimate_tokens};
use interchange::export_jsonl;
use model::{ErrorCode, JsonMap, Moment};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use story::{StoryStep, story};

const EXAMPLES: &str = "\
Examples:
  quipu demo
  quipu demo --keep ~/ines && quipu serve --home ~/ines";

/// Try Quipu with sample data in a temporary memory
///
/// Runs five recalls on half a year of sample data. Your own memory is not touched. The temporary
/// one is removed at the end, unless you pass --keep.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DemoArgs {
    /// Keep the sample memory in this directory, which must not exist
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// A recall of the demo.
struct DemoRecall {
    /// Heading that says what the recall demonstrates.
    heading: &'static str,
    /// The command line that a user would type.
    command_line: &'static str,
    /// Arguments of the tool `recall`.
    arguments: Value,
}

impl DemoArgs {
    /// Plays the story and runs the recalls.
    ///
    /// # Errors
    /// Fails when the temporary directory cannot be used.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let temporary = tempfile::Builder::new().prefix("quipu-demo-").tempdir();
        let temporary = temporary
            .map_err(|error| Problem::file("writing to", &std::env::temp_dir(), &error))?;
        let clock = SettableClock::new();
        let home = self.keep.as_deref().unwrap_or(temporary.path());
        if self.keep.as_ref().is_some_and(|keep| keep.symlink_metadata().is_ok()) {
            return Err(Problem::refused(
                format!("{} already exists", home.display()),
                "Choose another name.",
            ));
        }
        files::create_private_dir(home)?;
        let bundled = ConfiguredEmbedder::from_config(&EmbedderConfig::default(), home)?;
        let memory = open_at(home, &Config::default(), bundled, Arc::new(clock.clone())).await?;
        let mut page = TextPage::new(setup.terminal);
        let steps = play_story(&memory, &clock, None).await?;
        page.add_text(&format!(
            "Ines develops the booking service of a pottery studio. Over six months, she and three \
             agents made {steps} entries in this memory. Here is what it recalls."
        ));
        let mut scenes = Vec::new();
        for (number, scene) in recalls_at(clock.now()).into_iter().enumerate() {
            scenes.push(run_recall(&memory, &mut page, number + 1, &scene).await?);
        }
        page.blank().add_text(&match &self.keep {
            Some(keep) => format!("Explore it with: quipu serve --home {}", keep.display()),
            None => "The temporary memory is removed. Start your own with `quipu remember \"…\"`."
                .to_owned(),
        });
        memory.engine.flush().await;
        Ok(CommandOutput::new(json!({ "told": steps, "recalls": scenes }), page))
    }
}

/// Plays the story in a temporary memory, and returns an export of it whose memories have a tag.
///
/// # Errors
/// Fails when the temporary directory cannot be used.
pub async fn export_story(tag: &str) -> Result<Vec<u8>, Problem> {
    let temporary = tempfile::Builder::new().prefix("quipu-demo-").tempdir();
    let temporary =
        temporary.map_err(|error| Problem::file("writing to", &std::env::temp_dir(), &error))?;
    let (home, clock) = (temporary.path(), SettableClock::new());
    let bundled = ConfiguredEmbedder::from_config(&EmbedderConfig::default(), home)?;
    let memory = open_at(home, &Config::default(), bundled, Arc::new(clock.clone())).await?;
    play_story(&memory, &clock, Some(tag)).await?;
    let mut file = Vec::new();
    export_jsonl(&memory.engine, &memory.caller, &mut file, |_| {}).await.map_err(|error| {
        Problem::new(ErrorCode::Internal, error.to_string(), "Report this as a bug.")
    })?;
    memory.engine.flush().await;
    Ok(file)
}

/// Plays the story, each step on its day. Returns the number of entries, without the questions.
async fn play_story(
    memory: &OpenMemory,
    clock: &SettableClock,
    tag: Option<&str>,
) -> Result<usize, Problem> {
    let steps: Vec<StoryStep> = story()?;
    let now = clock.now();
    let mut progress = Progress::new("remembering", steps.len());
    let mut known = JsonMap::new();
    for step in &steps {
        clock.set(step.day(now));
        let caller = step.caller(&memory.caller);
        let arguments = step.arguments(&known, tag);
        let answer = memory.call_tool_as(caller.clone(), &step.tool, arguments).await?;
        if caller.author.agent != memory.caller.author.agent {
            // Written at once, because what is written later counts for one day.
            memory.engine.admin().note_served(&caller, estimate_tokens(&answer.to_string()));
            memory.engine.flush_usage().await;
        }
        known.extend(step.created_memory(&answer));
        progress.step();
    }
    clock.set(now);
    Ok(steps.iter().filter(|step| step.tool != "recall").count())
}

async fn run_recall(
    memory: &OpenMemory,
    page: &mut TextPage,
    number: usize,
    scene: &DemoRecall,
) -> Result<Value, Problem> {
    let arguments = if let Value::Object(arguments) = &scene.arguments {
        arguments.clone()
    } else {
        JsonMap::new()
    };
    let answer = memory.call_tool("recall", arguments).await?;
    page.heading(&format!("{number}. {}", scene.heading));
    page.headline(&[(Style::Faint, "$"), (Style::Faint, scene.command_line)]);
    page.blank();
    recall::render(page, &answer)?;
    Ok(json!({ "tells": scene.heading, "asks": scene.arguments, "answer": answer }))
}

fn recalls_at(now: Moment) -> Vec<DemoRecall> {
    let then = now.plus_days(-160).date();
    vec![
        DemoRecall {
            heading: "It searches by meaning: the answer contains no word of the question.",
            command_line: "quipu recall -n 1 is there a refund policy",
            arguments: json!({"query": "is there a refund policy", "limit": 1}),
        },
        DemoRecall {
            heading: "A correction wins: the old port no longer appears in any answer.",
            command_line: "quipu recall -n 1 which port does the booking API listen on",
            arguments: json!({"query": "which port does the booking API listen on", "limit": 1}),
        },
        DemoRecall {
            heading: "Nothing is lost: this is what was believed half a year ago.",
            command_line: "quipu recall -n 1 --as-of DATE \
                           which port does the booking API listen on",
            arguments: json!({
                "query": "which port does the booking API listen on",
                "limit": 1,
                "as_of": then,
            }),
        },
        DemoRecall {
            heading: "Identifiers and error codes are found exactly as they are written.",
            command_line: "quipu recall -n 1 ERR_KILN_0042",
            arguments: json!({"query": "ERR_KILN_0042", "limit": 1}),
        },
        DemoRecall {
            heading: "Without a query: the briefing of a new session, in a few hundred tokens.",
            command_line: "quipu recall",
            arguments: json!({"budget_tokens": 600}),
        },
    ]
}
