//! `quipu doctor`: checks the installation, prints how to fix each problem, and with `--fix` fixes
//! those that can be fixed without losing data.

mod audit_checks;
mod check;
mod client_checks;
mod control_check;
mod disk_check;
mod embedder_check;
mod home_checks;
mod log_check;
mod store_checks;

use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::progress::Progress;
use crate::render::count_with_noun;
use crate::setup::Setup;
use crate::text_page::{INDENT, Style, TextPage};
use check::{CheckState, DoctorCheck};
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  quipu doctor
  quipu doctor --fix
  quipu doctor --json";

/// Check files, disk space, clock, store, audit log, embedder and snapshot
///
/// Each check reports ok, warn or fail, and says how to fix a problem. The exit code is 0 unless a
/// check fails.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DoctorArgs {
    /// Fix what can be fixed without losing data
    #[arg(long)]
    fix: bool,
}

/// Mode of a run: report problems only, or fix them as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DoctorMode {
    Report,
    Fix,
}

impl DoctorArgs {
    /// Runs the checks, and fixes problems if `--fix` is set.
    ///
    /// # Errors
    /// Returns no error for a failed check, which only sets the exit code.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mode = if self.fix { DoctorMode::Fix } else { DoctorMode::Report };
        let mut checks = vec![
            home_checks::home(setup, mode),
            home_checks::secrets(setup, mode),
            disk_check::disk(setup),
            control_check::control(setup, mode),
            log_check::log(setup, mode),
            home_checks::leftovers(setup, mode),
            home_checks::on_path(),
            embedder_check::check_embedder(setup).await,
        ];
        checks.extend(store_checks(setup, mode).await);
        let failed = checks.iter().any(|check| check.state == CheckState::Fail);
        let mut page = TextPage::new(setup.terminal);
        render(&mut page, &checks);
        let results: Vec<_> = checks.iter().map(DoctorCheck::to_json).collect();
        let exit = if failed { Exit::Failed } else { Exit::Done };
        Ok(CommandOutput::new(json!({ "ok": !failed, "checks": results }), page).with_exit(exit))
    }
}

/// Warns in the log about files of the memory that other users can access.
pub(super) fn warn_about_access(setup: &Setup) {
    let checks = [
        home_checks::home(setup, DoctorMode::Report),
        home_checks::secrets(setup, DoctorMode::Report),
    ];
    for check in checks {
        if let Some(advice) = check.advice {
            tracing::warn!("{}. {advice}", check.finding);
        }
    }
}

/// Runs the checks that need the store; a single failed one if it cannot be opened.
async fn store_checks(setup: &Setup, mode: DoctorMode) -> Vec<DoctorCheck> {
    let checked = setup.with_memory(async |memory| {
        let mut progress = Progress::new("checking", 7);
        // First, because the other checks add events with the time of now.
        let mut checks = vec![audit_checks::clock(memory).await];
        progress.step();
        checks.push(store_checks::store(memory).await);
        progress.step();
        checks.push(audit_checks::audit(memory).await);
        progress.step();
        checks.push(store_checks::traces(memory, mode).await);
        progress.step();
        checks.push(store_checks::vectors(memory, mode).await);
        progress.step();
        checks.push(store_checks::size(memory, mode).await);
        progress.step();
        checks.push(store_checks::snapshot(memory, mode).await);
        checks.push(client_checks::clients(&client_checks::agents_seen(memory).await));
        Ok(checks)
    });
    match checked.await {
        Ok(checks) => checks,
        Err(problem) => {
            vec![store_checks::cannot_open(setup, &problem), client_checks::clients(&[])]
        }
    }
}

fn render(page: &mut TextPage, checks: &[DoctorCheck]) {
    for check in checks {
        let (style, word) = match check.state {
            CheckState::Ok => (Style::Good, "ok  "),
            CheckState::Warn => (Style::Warn, "warn"),
            CheckState::Fail => (Style::Bad, "FAIL"),
        };
        page.headline(&[
            (style, word),
            (Style::Strong, check.name),
            (Style::Plain, &check.finding),
        ]);
        if let Some(advice) = &check.advice {
            page.paragraph(INDENT + 2, Style::Plain, advice);
        }
    }
    let count = |state: CheckState| checks.iter().filter(|check| check.state == state).count();
    let (warned, failed) = (count(CheckState::Warn), count(CheckState::Fail));
    let verdict = match (warned, failed) {
        (0, 0) => "All checks passed.".to_owned(),
        (_, 0) => format!("No failures; {}.", count_with_noun(warned, "warning", "warnings")),
        _ => format!("{failed} failed; {}.", count_with_noun(warned, "warning", "warnings")),
    };
    page.blank().add_text(&verdict);
}
