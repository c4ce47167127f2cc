//! The message that `quipu serve` prints when it is ready: addresses, files, and the ways to
//! connect agents, each once. Secrets are printed at a terminal only: what goes to a pipe ends up
//! in the logs of a service manager or a container.

use super::DialectArg;
use crate::setup::Setup;
use crate::terminal::OutputFormat;
use crate::text_page::TextPage;
use serde_json::json;
use server::PublicUrl;
use std::net::SocketAddr;
use std::path::Path;

/// Message printed when the server is ready.
pub(super) struct StartupMessage<'a> {
    pub address: SocketAddr,
    /// URL that clients and browsers use.
    pub site: &'a PublicUrl,
    /// Secrets, shown only to a person at a terminal.
    pub secrets: Option<StartupSecrets>,
    pub setup: &'a Setup,
}

/// Secrets that open the memory.
pub(super) struct StartupSecrets {
    pub token: String,
    /// Secret of the single-use link to the dashboard.
    pub link: String,
}

impl StartupMessage<'_> {
    pub fn render(&self) -> String {
        match self.setup.terminal.format {
            OutputFormat::Json => self.render_json(),
            OutputFormat::Text => self.render_page().into_text(),
        }
    }

    fn mcp_url(&self) -> String {
        format!("{}{}", self.site, DialectArg::Quipu.http_path())
    }

    /// Returns the address of the dashboard, with the single-use link for a person.
    pub fn dashboard_url(&self) -> String {
        match &self.secrets {
            Some(secrets) => format!("{}{}?link={}", self.site, dashboard::LOGIN, secrets.link),
            None => format!("{}/", self.site),
        }
    }

    fn health_url(&self) -> String {
        format!("{}/healthz", self.site)
    }

    /// Renders one line of JSON, so that a script can read it while the server keeps running.
    fn render_json(&self) -> String {
        let home = &self.setup.home;
        let mut output = json!({
            "dashboard": self.dashboard_url(),
            "mcp": self.mcp_url(),
            "health": self.health_url(),
            "listening": self.address.to_string(),
            "token_file": home.token_file().display().to_string(),
            "data": home.path().display().to_string(),
        });
        if let Some(secrets) = &self.secrets {
            output["token"] = secrets.token.as_str().into();
        }
        format!("{output}\n")
    }

    fn render_page(&self) -> TextPage {
        let home = &self.setup.home;
        // Not wrapped: the commands are meant to be copied.
        let screen = crate::terminal::Terminal { width: None, ..self.setup.terminal };
        let mut page = TextPage::new(screen);
        page.add_text(&format!(
            "Serving the memory of {}. Press Ctrl-C to stop.",
            self.setup.config.owner
        ));
        let file = |path: &Path| path.display().to_string();
        let mut pairs = vec![("dashboard", self.dashboard_url()), ("MCP", self.mcp_url())];
        match &self.secrets {
            Some(secrets) => pairs.push(("token", secrets.token.clone())),
            None => {
                pairs.push(("link", "`quipu login` prints one".to_owned()));
                pairs.push(("token file", file(&home.token_file())));
            }
        }
        pairs.push(("data", file(home.path())));
        page.blank().pairs(&pairs);
        page.heading("Connect").pairs(&connections());
        page
    }
}

/// Returns the ways to connect agents. The address is printed above, and nothing twice.
fn connections() -> [(&'static str, String); 3] {
    let key = "quipu keys create --agent NAME --scope write --grant '*=write'";
    [
        ("agents on this machine", "quipu setup; they need no server".to_owned()),
        (
            "agents over HTTP",
            format!("{key}; they send it as the header Authorization: Bearer KEY"),
        ),
        ("agents with OAuth", "the MCP address is enough; you authorize it here".to_owned()),
    ]
}
