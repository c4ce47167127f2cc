//! `cargo xtask clients [CLIENT…]`: the real coding agents against a model that answers from a
//! plan, each in a home of its own: setup, the briefing in the first request, a memory written by
//! the model, the captured turn, its recall in a new session, and the undone setup; then the same
//! with the plugin of this repository instead, with searches for tools where the client has them,
//! and with hooks that the user trusts, where it asks for that. A client that cannot be installed
//! is named and skipped. `QUIPU_BIN` names a binary to use instead of building.

mod agent;
mod home_files;
mod hook_list;
mod model_server;
mod tool_search;
mod trial;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::checkout::RepoCheckout;
use crate::{command, quipu_binary, tools};
use agent::Agent;
use trial::Trial;

/// Runs the trial of each client.
pub fn run(checkout: &RepoCheckout, names: &[&str]) -> Result<ExitCode> {
    let agents = chosen(names)?;
    let programs = match tools::coding_agents(checkout) {
        Ok(programs) => programs,
        Err(error) => {
            println!("SKIPPED all clients: they cannot be installed: {error:#}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let binary = quipu_binary::obtain(checkout)?;
    let mut failed = 0;
    for agent in agents {
        let program = programs.join(agent.program());
        if command::output(checkout.command(&program).arg("--version")).is_none() {
            println!("SKIPPED {}: it does not start here", agent.setup_name());
            continue;
        }
        let trial = || Trial::new(checkout, agent, &binary, &programs);
        failed += usize::from(!report(agent, "", trial().and_then(|trial| trial.run())));
        let result = trial().and_then(|trial| trial.run_plugin());
        failed += usize::from(!report(agent, " with the plugin", result));
        if agent.searches_for_tools() {
            let result = trial().and_then(|trial| trial.run_search());
            failed += usize::from(!report(agent, " with searches for tools", result));
        }
        if agent.asks_for_trust() {
            let result = trial().and_then(|trial| trial.run_trust());
            failed += usize::from(!report(agent, " with trusted hooks", result));
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the result of a trial and returns whether it passed.
fn report(agent: Agent, how: &str, result: Result<()>) -> bool {
    match &result {
        Ok(()) => println!("PASSED {}{how}", agent.setup_name()),
        Err(error) => println!("FAILED {}{how}: {error:#}", agent.setup_name()),
    }
    result.is_ok()
}

fn chosen(names: &[&str]) -> Result<Vec<Agent>> {
    if names.is_empty() {
        return Ok(Agent::ALL.to_vec());
    }
    let find = |name: &&str| match Agent::ALL.into_iter().find(|one| one.setup_name() == *name) {
        Some(agent) => Ok(agent),
        None => bail!("`{name}` is not one of the clients that can be run"),
    };
    names.iter().map(find).collect()
}
