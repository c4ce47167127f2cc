//! The trial of one client: what a user sees from the setup to its undoing, checked step by step.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::agent::{Agent, CHECKOUT, ServerSource};
use super::home_files::HomeFiles;
use super::hook_list::{ListedHook, list_hooks};
use super::model_server::ModelServer;
use super::tool_search;
use crate::checkout::RepoCheckout;
use crate::command;

/// Longest time for one prompt. opencode takes long to start.
const PROMPT_LIMIT: Duration = Duration::from_secs(180);

/// A memory that is there before the first session, and a word of it.
const KNOWN: (&str, &str) =
    ("We chose PostgreSQL for billing because of row-level security.", "row-level security");
/// A memory that the model writes in the first session, and a word of it.
const WRITTEN: (&str, &str) =
    ("Releases are on Thursdays, because support is staffed then.", "Thursdays");
/// Folder that the client works in, which names the project.
const PROJECT: &str = "project";
const FIRST_PROMPT: &str = "Please note on which weekday the heron team ships.";
const FIRST_ANSWER: &str = "Noted: the heron team ships late in the week.";
const SECOND_PROMPT: &str = "On which day do we release?";
const PRIVATE_PROMPT: &str = "Say nothing of the surprise for the pelican team.";

/// A client in a home of its own.
pub struct Trial<'a> {
    checkout: &'a RepoCheckout,
    agent: Agent,
    binary: &'a Path,
    /// Folder of the clients' programs.
    programs: &'a Path,
    folder: TempDir,
}

impl<'a> Trial<'a> {
    /// Prepares the folders.
    pub fn new(
        checkout: &'a RepoCheckout,
        agent: Agent,
        binary: &'a Path,
        programs: &'a Path,
    ) -> Result<Self> {
        // The name must not contain that of the product, which is searched for afterwards.
        let folder = tempfile::Builder::new().prefix("client-trial-").tempdir()?;
        let trial = Self { checkout, agent, binary, programs, folder };
        for name in ["home", PROJECT, "memory", "runs", "bin"] {
            fs::create_dir(trial.path(name))?;
        }
        command::output(Command::new("git").arg("init").arg("-q").arg(trial.path(PROJECT)))
            .context("git init")?;
        Ok(trial)
    }

    /// Runs every step with `quipu setup`.
    pub fn run(&self) -> Result<()> {
        let model = self.model(&self.agent.tool("remember"), &self.agent.tool("recall"))?;
        self.agent.write_settings(&self.path("home"), model.port, ServerSource::Setup)?;
        let before = HomeFiles::read(&self.path("home"))?;
        self.undone_at_once_is_byte_for_byte(&before)?;
        self.quipu(&["remember", KNOWN.0, "--kind", "decision"])?;
        self.set_up()?;
        let set_up = HomeFiles::read(&self.path("home"))?;
        self.first_session(&model)?;
        if !self.agent.searches_for_tools() {
            let names = ["recall", "remember"].map(|name| self.agent.tool(name));
            tool_search::check_offered(&model.requests()?, &names)?;
            self.step("the first request offers both tools of the memory")?;
        }
        self.second_session(&model)?;
        self.private_session(&model)?;
        self.undone_after_sessions(&before, &set_up)
    }

    /// Runs the sessions with the plugin, and removes it.
    pub fn run_plugin(&self) -> Result<()> {
        let plugin = self.agent.plugin();
        let tool = |name: &str| format!("{}{name}", plugin.tool_prefix);
        let model = self.model(&tool("remember"), &tool("recall"))?;
        self.agent.write_settings(&self.path("home"), model.port, ServerSource::Plugin)?;
        // A plugin finds the binary on the search path.
        std::os::unix::fs::symlink(self.binary, self.path("bin/quipu"))?;
        self.quipu(&["remember", KNOWN.0, "--kind", "decision"])?;
        for arguments in plugin.commands {
            self.client(arguments, model.port)?;
        }
        self.step("the plugin is installed")?;
        self.first_session(&model)?;
        self.second_session(&model)?;
        let Some(removal) = plugin.removal else { return Ok(()) };
        self.client(removal, model.port)?;
        self.step("the plugin is removed")
    }

    /// Runs a session in which the model searches for tools.
    pub fn run_search(&self) -> Result<()> {
        let (folder, plan) = (self.path("runs/model"), tool_search::search_plan());
        let model = ModelServer::start(self.checkout, &folder, &plan)?;
        self.agent.write_settings(&self.path("home"), model.port, ServerSource::Setup)?;
        self.set_up()?;
        self.prompt(SECOND_PROMPT, model.port)?;
        tool_search::check_searches(&model.requests()?)?;
        self.step("a search for tools brings those of the memory first")
    }

    /// Runs the first session with hooks that the user trusts.
    pub fn run_trust(&self) -> Result<()> {
        let model = self.model(&self.agent.tool("remember"), &self.agent.tool("recall"))?;
        self.agent.write_settings(&self.path("home"), model.port, ServerSource::Setup)?;
        self.quipu(&["remember", KNOWN.0, "--kind", "decision"])?;
        self.set_up()?;
        self.doctor_says("hooks that are not trusted")?;
        let config = self.path("home/.codex/config.toml");
        let mut text = fs::read_to_string(&config)?;
        for hook in self.hooks(model.port)? {
            ensure!(!hook.is_trusted, "{} is trusted already", hook.key);
            let (key, hash) = (hook.key, hook.hash);
            text.push_str(&format!("\n[hooks.state.{key:?}]\ntrusted_hash = {hash:?}\n"));
        }
        fs::write(&config, text)?;
        ensure!(self.hooks(model.port)?.iter().all(|hook| hook.is_trusted), "still not trusted");
        self.doctor_says("hooks that are trusted")?;
        self.step("doctor and the client agree on the trust in the hooks")?;
        let mut command = self.program();
        self.agent.add_arguments(&mut command, FIRST_PROMPT, true);
        self.run_client(command, model.port)?;
        self.first_session_went_well(&model)
    }

    fn doctor_says(&self, words: &str) -> Result<()> {
        let told = self.quipu(&["doctor"])?;
        ensure!(told.contains(words), "doctor does not tell of {words}: {told}");
        Ok(())
    }

    fn hooks(&self, port: u16) -> Result<Vec<ListedHook>> {
        let mut command = self.program();
        command.envs(self.agent.environment(&self.path("home"), port));
        list_hooks(command, &self.path(PROJECT).display().to_string())
    }

    /// Starts a model that remembers in the first session and recalls in the second.
    fn model(&self, remember: &str, recall: &str) -> Result<ModelServer> {
        let plan = json!([
            { "tool": remember, "input": { "text": WRITTEN.0, "kind": "decision" } },
            FIRST_ANSWER,
            { "tool": recall, "input": { "query": SECOND_PROMPT } },
            "It is in the memory.",
        ]);
        ModelServer::start(self.checkout, &self.path("runs/model"), &plan)
    }

    fn undone_at_once_is_byte_for_byte(&self, before: &HomeFiles) -> Result<()> {
        self.set_up()?;
        ensure!(*before != HomeFiles::read(&self.path("home"))?, "the setup changed nothing");
        self.quipu(&["setup", "--undo", "--yes"])?;
        let after = HomeFiles::read(&self.path("home"))?;
        let (lost, left) = (before.missing_in(&after), after.missing_in(before));
        ensure!(*before == after, "not restored: {lost:?}; left behind: {left:?}");
        self.step("setup and undo leave every file as it was")
    }

    fn first_session(&self, model: &ModelServer) -> Result<()> {
        self.prompt(FIRST_PROMPT, model.port)?;
        self.first_session_went_well(model)
    }

    fn first_session_went_well(&self, model: &ModelServer) -> Result<()> {
        let requests = model.requests()?;
        let turn = requests.iter().find(|request| request.contains(FIRST_PROMPT));
        let turn = turn.context("no request holds the prompt")?;
        ensure!(turn.contains(KNOWN.1), "the first request does not hold the briefing");
        self.step("the first request holds the briefing")?;
        let exported = self.export()?;
        ensure!(exported.contains(WRITTEN.1), "what the model remembered is not in the memory");
        let belongs = exported.lines().any(|line| is_of_project(line, WRITTEN.1));
        ensure!(belongs, "what the model remembered is not of the project of the session");
        self.step("the model remembered, for the project of the session")?;
        for (side, words) in [("prompt", FIRST_PROMPT), ("answer", FIRST_ANSWER)] {
            let count = exported.lines().filter(|line| is_turn(line, words)).count();
            ensure!(count == 1, "the {side} is in the transcripts {count} times");
        }
        self.step("both sides of the turn are in the transcripts once")
    }

    fn second_session(&self, model: &ModelServer) -> Result<()> {
        let earlier = model.requests()?.len();
        self.prompt(SECOND_PROMPT, model.port)?;
        let requests = model.requests()?.split_off(earlier);
        let first = requests.iter().find(|request| request.contains(SECOND_PROMPT));
        let first = first.context("no request holds the second prompt")?;
        let said = without_briefings(first);
        ensure!(!said.contains(FIRST_ANSWER), "the second session is not a new one");
        let last = requests.last().context("no request in the second session")?;
        ensure!(last.contains(WRITTEN.1), "the second session does not recall the memory");
        self.step("a new session recalls it")
    }

    fn private_session(&self, model: &ModelServer) -> Result<()> {
        let earlier = model.requests()?.len();
        let mut command = self.program();
        command.env("QUIPU_PRIVATE", "1");
        self.agent.add_arguments(&mut command, PRIVATE_PROMPT, false);
        self.run_client(command, model.port)?;
        let requests = model.requests()?.split_off(earlier);
        let holds = |words: &str| requests.iter().any(|request| request.contains(words));
        ensure!(holds(PRIVATE_PROMPT), "no request holds the private prompt");
        ensure!(!holds(KNOWN.1), "a private session is briefed");
        ensure!(!self.export()?.contains(PRIVATE_PROMPT), "a private turn is stored");
        self.step("a private session is neither briefed nor stored")
    }

    fn undone_after_sessions(&self, before: &HomeFiles, set_up: &HomeFiles) -> Result<()> {
        let used = HomeFiles::read(&self.path("home"))?;
        self.quipu(&["setup", "--undo", "--yes"])?;
        let after = HomeFiles::read(&self.path("home"))?;
        for path in set_up.missing_in(before) {
            if set_up.is_same(&used, &path) {
                ensure!(before.is_same(&after, &path), "{} is not restored", path.display());
            } else {
                // The client wrote into it meanwhile.
                let server = self.binary.display().to_string();
                ensure!(!after.contains(&path, &server), "{} keeps the server", path.display());
            }
        }
        self.step("undo after the sessions leaves nothing of Quipu")
    }

    fn step(&self, what: &str) -> Result<()> {
        println!("  {}: {what}", self.agent.setup_name());
        Ok(())
    }

    fn set_up(&self) -> Result<()> {
        self.quipu(&["setup", self.agent.setup_name(), "--yes"]).map(drop)
    }

    /// Returns everything in the memory, as JSON Lines.
    fn export(&self) -> Result<String> {
        let file = self.path("runs/export.jsonl");
        if file.exists() {
            fs::remove_file(&file)?;
        }
        self.quipu(&["export", &file.display().to_string()])?;
        Ok(fs::read_to_string(&file)?)
    }

    /// Runs `quipu` as the user would, in the project, and returns its output.
    fn quipu(&self, arguments: &[&str]) -> Result<String> {
        let output = self.in_project(Command::new(self.binary)).args(arguments).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "quipu {}: {errors}", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Lets the client answer a prompt in a new session.
    fn prompt(&self, prompt: &str, port: u16) -> Result<()> {
        let mut command = self.program();
        self.agent.add_arguments(&mut command, prompt, false);
        self.run_client(command, port)
    }

    /// Runs a command of the client itself.
    fn client(&self, arguments: &[&str], port: u16) -> Result<()> {
        let checkout = self.checkout.path("").display().to_string();
        let mut command = self.program();
        command.args(
            arguments.iter().map(|one| one.replace(CHECKOUT, checkout.trim_end_matches('/'))),
        );
        self.run_client(command, port)
    }

    fn program(&self) -> Command {
        self.in_project(Command::new(self.programs.join(self.agent.program())))
    }

    fn run_client(&self, mut command: Command, port: u16) -> Result<()> {
        command.envs(self.agent.environment(&self.path("home"), port));
        let log = File::create(self.path("runs/client.log"))?;
        command.stdout(log.try_clone()?).stderr(log);
        let ended = command::run_within(&mut command, PROMPT_LIMIT)?;
        ensure!(ended, "the client failed: {}", self.log_end()?);
        Ok(())
    }

    fn log_end(&self) -> Result<String> {
        let log = fs::read(self.path("runs/client.log"))?;
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        Ok(lines[lines.len().saturating_sub(15)..].join("\n"))
    }

    /// Prepares a command with the environment of the user and nothing else.
    fn in_project(&self, mut command: Command) -> Command {
        let home = self.path("home");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.path("bin"), self.programs.to_owned()];
        let folders = own.into_iter().chain(std::env::split_paths(&path));
        let search = std::env::join_paths(folders).unwrap_or(path);
        command.env_clear().current_dir(self.path(PROJECT));
        command.env("PATH", search).env("HOME", &home).env("QUIPU_HOME", self.path("memory"));
        command.env("TERM", "dumb").env("LANG", "C.UTF-8");
        for (name, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
        ] {
            command.env(name, home.join(folder));
        }
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns a request without the blocks of Quipu: a briefing tells of the session before.
fn without_briefings(request: &str) -> String {
    let mut parts = request.split("quipu-memory id=");
    let first = parts.next().unwrap_or_default().to_owned();
    let after = |part: &str| part.split_once("/quipu-memory").map(|(_, rest)| rest.to_owned());
    first + &parts.filter_map(after).collect::<String>()
}

/// Returns true if a line of an export is a memory with these words that belongs to the project.
fn is_of_project(line: &str, words: &str) -> bool {
    let Ok(record) = serde_json::from_str::<Value>(line) else { return false };
    record["text"].as_str().is_some_and(|text| text.contains(words))
        && record["project"] == PROJECT
        && record["collection"] != "transcripts"
}

/// Returns true if a line of an export is a captured turn with these words.
fn is_turn(line: &str, words: &str) -> bool {
    let Ok(record) = serde_json::from_str::<Value>(line) else { return false };
    let text = record.to_string();
    // The episode of a session quotes its turns.
    text.contains("transcripts") && text.contains(words) && !text.contains("episode")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_without_the_blocks_of_quipu() {
        let block = |text: &str| format!("<quipu-memory id=\\\"1\\\">{text}</quipu-memory>");
        let left = without_briefings(&format!("a {} c {}", block("b"), block("d")));
        assert!(left.contains('a') && left.contains(" c "), "{left}");
        assert!(!left.contains('b') && !left.contains('d'), "{left}");
    }
}
