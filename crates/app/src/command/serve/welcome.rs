//! The message that `quipu serve` prints when it is ready: addresses, the token, the data
//! directory, and one line per client that connects it.

use super::Spoken;
use crate::page::Page;
use crate::screen::Form;
use crate::setup::Setup;
use serde_json::json;
use server::PublicUrl;
use std::net::SocketAddr;

/// Message printed when the server is ready.
pub(super) struct Welcome<'a> {
    pub address: SocketAddr,
    /// URL that clients and browsers use.
    pub site: &'a PublicUrl,
    pub token: &'a str,
    /// Secret of the single-use link to the dashboard.
    pub link: &'a str,
    pub setup: &'a Setup,
}

impl Welcome<'_> {
    pub fn text(&self) -> String {
        match self.setup.screen.form {
            Form::Json => self.as_json(),
            Form::Text => self.as_page().into_text(),
        }
    }

    fn mcp(&self) -> String {
        format!("{}{}", self.site, Spoken::Quipu.path())
    }

    fn dashboard(&self) -> String {
        format!("{}{}?link={}", self.site, dashboard::LOGIN, self.link)
    }

    fn health(&self) -> String {
        format!("{}/healthz", self.site)
    }

    /// Renders one line of JSON, so that a script can read it while the server keeps running.
    fn as_json(&self) -> String {
        let home = &self.setup.home;
        let output = json!({
            "dashboard": self.dashboard(),
            "mcp": self.mcp(),
            "health": self.health(),
            "listening": self.address.to_string(),
            "token": self.token,
            "token_file": home.token().display().to_string(),
            "data": home.path().display().to_string(),
        });
        format!("{output}\n")
    }

    fn as_page(&self) -> Page {
        let home = &self.setup.home;
        // Not wrapped: the commands are meant to be copied.
        let screen = crate::screen::Screen { width: None, ..self.setup.screen };
        let mut page = Page::new(screen);
        page.say(&format!(
            "Serving the memory of {}. Press Ctrl-C to stop.",
            self.setup.config.owner
        ));
        page.blank().pairs(&[
            ("dashboard", self.dashboard()),
            ("MCP", self.mcp()),
            ("health", self.health()),
            ("token", self.token.to_owned()),
            ("token file", home.token().display().to_string()),
            ("data", home.path().display().to_string()),
        ]);
        page.heading("Connect").pairs(&self.connections());
        page.blank().say(
            "Clients on this machine need no server: claude mcp add -s user quipu -- quipu mcp",
        );
        page
    }

    fn connections(&self) -> Vec<(&'static str, String)> {
        let (mcp, token) = (self.mcp(), self.token);
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
