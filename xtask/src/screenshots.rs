//! `cargo xtask screenshots`: the demo's story in the dashboard, as pictures in `docs/screenshots`,
//! light and dark.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::command;
use crate::house::House;

/// Tells the story into a new memory, serves it, and lets the browser of the tests take the
/// pictures.
pub fn run(house: &House) -> Result<()> {
    command::run(&mut house.cargo(&["build", "--locked", "--package", "quipu"]))?;
    let memory = tempfile::tempdir()?;
    let home = memory.path().join("home");
    command::run(quipu(house).args(["demo", "--keep"]).arg(&home).stdout(Stdio::null()))?;
    let mut served = Served::start(house, &home)?;
    let taken = take(house, &served.link);
    served.child.kill()?;
    served.child.wait()?;
    taken
}

/// The binary itself: what cargo starts cannot be ended through cargo.
fn quipu(house: &House) -> Command {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| house.path("target"), PathBuf::from);
    house.command(target.join("debug/quipu"))
}

/// A dashboard that runs.
struct Served {
    child: Child,
    link: String,
}

impl Served {
    fn start(house: &House, home: &Path) -> Result<Self> {
        let mut serve = quipu(house);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--json", "--home"]).arg(home);
        let mut child = serve.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output is piped")?).read_line(&mut line)?;
        let told: serde_json::Value =
            serde_json::from_str(&line).context("serve says where it listens")?;
        let link = told["dashboard"].as_str().context("serve prints a link")?.to_owned();
        Ok(Self { child, link })
    }
}

fn take(house: &House, link: &str) -> Result<()> {
    let folder = house.path("docs/screenshots");
    let plan = serde_json::json!({
        "link": link, "module": "screenshots", "scenario": "take", "details": { "folder": folder },
    });
    let packages = house.tool("node/node_modules");
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let mut node = house.command(packages.join(format!("node-linux-{machine}/bin/node")));
    node.arg(house.path("crates/api-dashboard/tests/browser/play.mjs"))
        .env("CLIENT_PACKAGES", &packages);
    let mut child = node.stdin(Stdio::piped()).spawn().context("run `cargo xtask tools` first")?;
    child.stdin.take().context("its input is piped")?.write_all(plan.to_string().as_bytes())?;
    ensure!(child.wait()?.success(), "the pictures could not be taken");
    println!("pictures are in {}", folder.display());
    Ok(())
}
