//! `quipu doctor`: checks the installation, prints how to fix each problem, and with `--fix` fixes
//! those that can be fixed without losing data.

mod check;
mod embedder;
mod place;
mod store_checks;

use crate::answer::Answer;
use crate::exit::{Exit, Problem};
use crate::page::{INDENT, Page, Style};
use crate::progress::Progress;
use crate::setup::Setup;
use crate::shown::counted;
use check::{Check, State};
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  quipu doctor
  quipu doctor --fix
  quipu doctor --json";

/// Check permissions, disk space, store, embedder and snapshot
///
/// Each check reports ok, warn or fail, and how to fix it. The exit code is 0 unless a check fails.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Doctor {
    /// Fix what can be fixed without losing data
    #[arg(long)]
    fix: bool,
}

/// Mode of a run: report problems only, or fix them as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Look,
    Mend,
}

impl Doctor {
    /// Runs the checks, and fixes problems if `--fix` is set.
    ///
    /// # Errors
    /// Never because of a failed check; that sets the exit code.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mode = if self.fix { Mode::Mend } else { Mode::Look };
        let mut checks = vec![
            place::home(setup, mode),
            place::secrets(setup, mode),
            place::disk(setup),
            place::control(setup, mode),
            place::on_path(),
            embedder::embedder(setup).await,
        ];
        checks.extend(store_checks(setup, mode).await);
        let failed = checks.iter().any(|check| check.state == State::Fail);
        let mut page = Page::new(setup.screen);
        write(&mut page, &checks);
        let results: Vec<_> = checks.iter().map(Check::as_json).collect();
        let exit = if failed { Exit::Failed } else { Exit::Done };
        Ok(Answer::new(json!({ "ok": !failed, "checks": results }), page).ending(exit))
    }
}

/// Runs the checks that need the store; a single failed one if it cannot be opened.
async fn store_checks(setup: &Setup, mode: Mode) -> Vec<Check> {
    let checked = setup.with_memory(async |memory| {
        let mut progress = Progress::new("checking", 4);
        let mut checks = vec![store_checks::store(memory).await];
        progress.step();
        checks.push(store_checks::vectors(memory, mode).await);
        progress.step();
        checks.push(store_checks::size(memory, mode).await);
        progress.step();
        checks.push(store_checks::snapshot(setup, memory, mode).await);
        Ok(checks)
    });
    match checked.await {
        Ok(checks) => checks,
        Err(problem) => vec![store_checks::unopened(setup, &problem)],
    }
}

fn write(page: &mut Page, checks: &[Check]) {
    for check in checks {
        let (style, word) = match check.state {
            State::Ok => (Style::Good, "ok  "),
            State::Warn => (Style::Warn, "warn"),
            State::Fail => (Style::Bad, "FAIL"),
        };
        page.headline(&[(style, word), (Style::Strong, check.name), (Style::Plain, &check.found)]);
        if let Some(mend) = &check.mend {
            page.paragraph(INDENT + 2, Style::Plain, mend);
        }
    }
    let count = |state: State| checks.iter().filter(|check| check.state == state).count();
    let (warned, failed) = (count(State::Warn), count(State::Fail));
    let verdict = match (warned, failed) {
        (0, 0) => "All checks passed.".to_owned(),
        (_, 0) => format!("No failures; {}.", counted(warned, "warning", "warnings")),
        _ => format!("{failed} failed; {}.", counted(warned, "warning", "warnings")),
    };
    page.blank().say(&verdict);
}
