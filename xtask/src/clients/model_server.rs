//! A running model of the trial: `xtask/clients/model.mjs`, which answers from a plan and keeps
//! every request.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::checkout::RepoCheckout;

/// A running model. It ends with this value.
pub struct ModelServer {
    child: Child,
    pub port: u16,
    requests: PathBuf,
}

impl ModelServer {
    /// Starts a model that follows a plan; its files are in `folder`.
    pub fn start(checkout: &RepoCheckout, folder: &Path, plan: &Value) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let (requests, plan_file) = (folder.join("requests"), folder.join("plan.json"));
        fs::write(&plan_file, plan.to_string())?;
        let mut node = checkout.command("node");
        node.arg(checkout.path("xtask/clients/model.mjs")).arg(&requests).arg(&plan_file);
        let mut child = node.stdout(Stdio::piped()).spawn().context("node cannot be started")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout is piped")?).read_line(&mut line)?;
        let port = line.trim().parse().context("the model prints its port")?;
        Ok(Self { child, port, requests })
    }

    /// Returns the requests so far, in their order, as JSON text.
    pub fn requests(&self) -> Result<Vec<String>> {
        let mut paths: Vec<PathBuf> = fs::read_dir(&self.requests)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        paths.sort();
        paths.iter().map(|path| Ok(fs::read_to_string(path)?)).collect()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
