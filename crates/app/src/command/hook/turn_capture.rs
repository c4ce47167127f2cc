//! Captures the turn of an event into the spool.

use super::HookRun;
use crate::exit::Problem;
use client_hooks::{CapturedTurn, Speaker, TurnSource, branch_of};
use client_setup::HookEvent;
use engine::{Clock, SystemClock};

/// Captures what the user or the agent said, if the event tells it.
///
/// # Errors
/// Fails when the spool cannot be written.
pub(super) fn capture(run: &mut HookRun<'_>) -> Result<(), Problem> {
    if run.setup.config.hooks.transcript_days == 0 || run.input.session.is_none() {
        return Ok(());
    }
    if let Some(prompt) = run.input.prompt.clone() {
        // At the end of a turn the prompt was captured already, where there was a hook for it.
        let only_new = run.event == HookEvent::TurnEnd;
        capture_text(run, Speaker::User, &prompt, only_new)?;
    }
    if let Some(answer) = run.input.answer.clone() {
        capture_text(run, Speaker::Assistant, &answer, false)?;
    }
    Ok(())
}

fn capture_text(
    run: &mut HookRun<'_>,
    speaker: Speaker,
    text: &str,
    only_new: bool,
) -> Result<(), Problem> {
    let injected = run.session.injected_lines();
    let at = SystemClock.now().0;
    let occurrence = |hash: &str| run.session.occurrence(hash);
    let turn = CapturedTurn::new(&source(run), speaker, text, at, &injected, occurrence);
    let Some(turn) = turn else { return Ok(()) };
    let is_known = run.session.is_last_turn(&turn.hash)
        || (only_new && run.session.occurrence(&turn.hash) > 0);
    if is_known {
        return Ok(());
    }
    let spool = run.spool();
    let directory = run.setup.home.spool_dir(&run.setup.config.owner);
    spool.add(&turn).map_err(|error| Problem::file("writing", &directory, &error))?;
    run.session.note_turn(&turn.hash);
    run.save_session()
}

fn source(run: &HookRun<'_>) -> TurnSource {
    let cwd = std::env::current_dir().ok();
    let environment = crate::client_env::detect_client_env(&run.setup.home, crate::setup::env_var);
    TurnSource {
        client: super::client_name(run.client).to_owned(),
        session: run.input.session.clone().unwrap_or_default(),
        project: environment.project,
        branch: cwd.as_deref().and_then(branch_of),
        cwd: cwd.map(|path| path.display().to_string()),
    }
}
