//! The message that `quipu serve` prints when it is ready: addresses, the token, the data
//! directory, and one line per client that connects it.

use super::DialectArg;
use crate::setup::Setup;
use crate::terminal::OutputFormat;
use crate::text_page::TextPage;
use serde_json::json;
use server::PublicUrl;
use std::net::SocketAddr;

/// Message printed when the server is ready.
pub(super) struct StartupMessage<'a> {
    pub address: SocketAddr,
    /// URL that clients and browsers use.
    pub site: &'a PublicUrl,
    pub token: &'a str,
    /// Secret of the single-use link to the dashboard.
    pub link: &'a str,
    pub setup: &'a Setup,
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

    fn dashboard_url(&self) -> String {
        format!("{}{}?link={}", self.site, dashboard::LOGIN, self.link)
    }

    fn health_url(&self) -> String {
        format!("{}/healthz", self.site)
    }

    /// Renders one line of JSON, so that a script can read it while the server keeps running.
    fn render_json(&self) -> String {
        let home = &self.setup.home;
        let output = json!({
            "dashboard": self.dashboard_url(),
            "mcp": self.mcp_url(),
            "health": self.health_url(),
            "listening": self.address.to_string(),
            "token": self.token,
            "token_file": home.token_file().display().to_string(),
            "data": home.path().display().to_string(),
        });
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
        page.blank().pairs(&[
            ("dashboard", self.dashboard_url()),
            ("MCP", self.mcp_url()),
            ("health", self.health_url()),
            ("token", self.token.to_owned()),
            ("token file", home.token_file().display().to_string()),
            ("data", home.path().display().to_string()),
        ]);
        page.heading("Connect").pairs(&self.connections());
        page.blank().add_text(
            "Clients on this machine need no server: claude mcp add -s user quipu -- quipu mcp",
        );
        page
    }

    fn connections(&self) -> Vec<(&'static str, String)> {
        let (mcp, token) = (self.mcp_url(), self.token);
        let header = format!("Authorization: Bearer {token}");
        let headers = json!({"Authorization": format!("Bearer {token}")});
        let cursor = json!({"mcpServers": {"quipu": {"url": mcp, "headers": headers}}});
        vec![
            ("Claude Code", format!("claude mcp add -s user -t http quipu {mcp} -H \"{header}\"")),
            (
                "Codex",
                format!(
                    "export QUIPU_TOKEN={token}; codex mcp add quipu --url {mcp} \
                     --bearer-token-env-var QUIPU_TOKEN"
                ),
            ),
            ("Cursor", format!("in ~/.cursor/mcp.json: {cursor}")),
            (
                "Other",
                format!(
                    "{mcp} with the header {header}, or without it to authorize in the browser"
                ),
            ),
        ]
    }
}
