//! `cargo xtask screenshots`: pictures of the dashboard with the demo data in `docs/screenshots`,
//! light and dark; two animated ones: how the graph grows, and a recall in a terminal; and one for
//! the page of each client: what `quipu setup` would change.

mod recall_animation;
mod setup_pictures;
mod terminal_window;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use recall_animation::TerminalScene;

/// Fills a temporary memory with the demo data, serves it, and takes the screenshots with the
/// browser of the tests.
pub fn run(checkout: &RepoCheckout) -> Result<()> {
    command::run(&mut checkout.cargo(&["build", "--locked", "--package", "quipu"]))?;
    let memory = tempfile::tempdir()?;
    let home = memory.path().join("home");
    command::run(quipu(checkout).args(["demo", "--keep"]).arg(&home).stdout(Stdio::null()))?;
    animate_recall(checkout, &home)?;
    picture_setups(checkout)?;
    let mut served = DashboardProcess::start(checkout, &home)?;
    let token = std::fs::read_to_string(home.join("token"))?;
    let taken = take_screenshots(checkout, &served.link, token.trim());
    served.child.kill()?;
    served.child.wait()?;
    taken
}

/// Recalls of the animated picture.
const RECALLS: [&str; 2] = ["can a member get the money back", "why did we choose PostgreSQL"];

/// Records two recalls and writes them as an animated picture.
fn animate_recall(checkout: &RepoCheckout, home: &Path) -> Result<()> {
    let mut scenes = Vec::new();
    for question in RECALLS {
        let mut recall = quipu(checkout);
        recall.args(["recall", "-n", "2", question, "--home"]).arg(home);
        let printed = recall.output()?;
        ensure!(printed.status.success(), "`quipu recall` failed");
        let output = String::from_utf8(printed.stdout)?;
        scenes.push(TerminalScene { command: format!("quipu recall -n 2 {question}"), output });
    }
    let folder = checkout.path("docs/screenshots");
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join("recall.svg"), recall_animation::render(&scenes))?)
}

/// Writes the picture of the setup of each client that has a page.
fn picture_setups(checkout: &RepoCheckout) -> Result<()> {
    for client in setup_pictures::client_pages(&checkout.path("docs/clients"))? {
        let home = tempfile::tempdir()?;
        let picture = setup_pictures::take(quipu(checkout), &client, home.path())?;
        let name = format!("docs/screenshots/setup-{}.svg", client.name);
        std::fs::write(checkout.path(&name), picture)?;
    }
    Ok(())
}

/// Returns a command for the built binary.
// Not `cargo run`: killing cargo would leave the server running.
fn quipu(checkout: &RepoCheckout) -> Command {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout.path("target"), PathBuf::from);
    checkout.command(target.join("debug/quipu"))
}

/// A running `quipu serve`.
struct DashboardProcess {
    child: Child,
    link: String,
}

impl DashboardProcess {
    fn start(checkout: &RepoCheckout, home: &Path) -> Result<Self> {
        let mut serve = quipu(checkout);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--json", "--home"]).arg(home);
        let mut child = serve.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout is piped")?).read_line(&mut line)?;
        let started: serde_json::Value =
            serde_json::from_str(&line).context("serve prints its addresses as JSON")?;
        let address = started["listening"].as_str().context("serve prints its address")?;
        let mut login = quipu(checkout);
        login.args(["login", "--listen", address, "--json", "--home"]).arg(home);
        let printed: serde_json::Value = serde_json::from_slice(&login.output()?.stdout)?;
        let link = printed["dashboard"].as_str().context("login prints a link")?.to_owned();
        Ok(Self { child, link })
    }
}

fn take_screenshots(checkout: &RepoCheckout, link: &str, token: &str) -> Result<()> {
    let folder = checkout.path("docs/screenshots");
    let plan = serde_json::json!({
        "link": link, "module": "screenshots", "scenario": "take",
        "details": { "folder": folder, "token": token },
    });
    let packages = checkout.tools_path("node/node_modules");
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let mut node = checkout.command(packages.join(format!("node-linux-{machine}/bin/node")));
    node.arg(checkout.path("crates/api-dashboard/tests/browser/play.mjs"))
        .env("CLIENT_PACKAGES", &packages);
    let mut child = node.stdin(Stdio::piped()).spawn().context("run `cargo xtask tools` first")?;
    child.stdin.take().context("stdin is piped")?.write_all(plan.to_string().as_bytes())?;
    ensure!(child.wait()?.success(), "the screenshots could not be taken");
    println!("the screenshots are in {}", folder.display());
    Ok(())
}
