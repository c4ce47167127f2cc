//! `quipu demo`: fills a temporary memory with half a year of work, runs five recalls on it, and
//! removes it.

mod story;

use super::recall;
use crate::answer::Answer;
use crate::clock::StandingClock;
use crate::config::{Config, EmbedderConfig};
use crate::embedder::Chosen;
use crate::exit::Problem;
use crate::files;
use crate::page::{Page, Style};
use crate::progress::Progress;
use crate::setup::{Opened, Setup, open_at};
use clap::Args;
use engine::Clock;
use model::{JsonMap, Moment};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use story::{Step, story};

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
pub struct Demo {
    /// Keep the sample memory in this directory, which must not exist
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// A recall of the demo.
struct Scene {
    /// Heading that says what the recall demonstrates.
    tells: &'static str,
    /// The command line that a user would type.
    typed: &'static str,
    /// Arguments of the tool `recall`.
    asks: Value,
}

impl Demo {
    /// Plays the story and runs the recalls.
    ///
    /// # Errors
    /// When the temporary directory cannot be used.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let temporary = tempfile::Builder::new().prefix("quipu-demo-").tempdir();
        let temporary = temporary
            .map_err(|error| Problem::file("writing to", &std::env::temp_dir(), &error))?;
        let clock = StandingClock::new();
        let home = self.keep.as_deref().unwrap_or(temporary.path());
        if self.keep.as_ref().is_some_and(|keep| keep.symlink_metadata().is_ok()) {
            return Err(Problem::refused(
                format!("{} already exists", home.display()),
                "Choose another name.",
            ));
        }
        files::make_private_directory(home)?;
        let bundled = Chosen::by(&EmbedderConfig::default(), home)?;
        let memory = open_at(home, &Config::default(), bundled, Arc::new(clock.clone())).await?;
        let mut page = Page::new(setup.screen);
        let steps = tell(&memory, &clock).await?;
        page.say(&format!(
            "Ines develops the booking service of a pottery studio. Over six months, she and two \
             agents made {steps} entries in this memory. Here is what it recalls."
        ));
        let mut scenes = Vec::new();
        for (number, scene) in scenes_at(clock.now()).into_iter().enumerate() {
            scenes.push(play(&memory, &mut page, number + 1, &scene).await?);
        }
        page.blank().say(&match &self.keep {
            Some(keep) => format!("Explore it with: quipu serve --home {}", keep.display()),
            None => "The temporary memory is removed. Start your own with `quipu remember \"…\"`."
                .to_owned(),
        });
        memory.engine.flush().await;
        Ok(Answer::new(json!({ "told": steps, "recalls": scenes }), page))
    }
}

/// Plays the story, each step on its day. Returns the number of steps.
async fn tell(memory: &Opened, clock: &StandingClock) -> Result<usize, Problem> {
    let steps: Vec<Step> = story()?;
    let now = clock.now();
    let mut progress = Progress::new("remembering", steps.len());
    let mut known = JsonMap::new();
    for step in &steps {
        clock.put(step.day(now));
        let answer =
            memory.ask_as(&step.caller(&memory.caller), &step.tool, step.arguments(&known)).await?;
        known.extend(step.learnt(&answer));
        progress.step();
    }
    clock.put(now);
    Ok(steps.len())
}

async fn play(
    memory: &Opened,
    page: &mut Page,
    number: usize,
    scene: &Scene,
) -> Result<Value, Problem> {
    let asks = if let Value::Object(asks) = &scene.asks { asks.clone() } else { JsonMap::new() };
    let answer = memory.ask("recall", asks).await?;
    page.heading(&format!("{number}. {}", scene.tells));
    page.headline(&[(Style::Faint, "$"), (Style::Faint, scene.typed)]);
    page.blank();
    recall::write(page, &answer)?;
    Ok(json!({ "tells": scene.tells, "asks": scene.asks, "answer": answer }))
}

fn scenes_at(now: Moment) -> Vec<Scene> {
    let then = now.plus_seconds(-160 * 86_400).date();
    vec![
        Scene {
            tells: "It searches by meaning: the answer contains no word of the question.",
            typed: "quipu recall -n 1 is there a refund policy",
            asks: json!({"query": "is there a refund policy", "limit": 1}),
        },
        Scene {
            tells: "A correction wins: the old port no longer appears in any answer.",
            typed: "quipu recall -n 1 which port does the booking API listen on",
            asks: json!({"query": "which port does the booking API listen on", "limit": 1}),
        },
        Scene {
            tells: "Nothing is lost: this is what was believed half a year ago.",
            typed: "quipu recall -n 1 --as-of DATE which port does the booking API listen on",
            asks: json!({
                "query": "which port does the booking API listen on",
                "limit": 1,
                "as_of": then,
            }),
        },
        Scene {
            tells: "Identifiers and error codes are found exactly as they are written.",
            typed: "quipu recall -n 1 ERR_KILN_0042",
            asks: json!({"query": "ERR_KILN_0042", "limit": 1}),
        },
        Scene {
            tells: "Without a query: the briefing of every new session, in a few hundred tokens.",
            typed: "quipu recall",
            asks: json!({"budget_tokens": 600}),
        },
    ]
}
