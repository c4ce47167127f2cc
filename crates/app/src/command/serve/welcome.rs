//! What `quipu serve` says when it is ready: where it listens, how to connect each client in one
//! line, and where the data lies.

use super::Spoken;
use crate::page::Page;
use crate::screen::Form;
use crate::setup::Setup;
use serde_json::json;
use server::PublicUrl;
use std::net::SocketAddr;

/// What is said when it is ready.
pub(super) struct Welcome<'a> {
    /// Where it listens.
    pub address: SocketAddr,
    /// The address that clients and browsers reach it by.
    pub site: &'a PublicUrl,
    pub token: &'a str,
    /// The secret of the link that opens the dashboard once.
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

    /// One line, so that a script can read it and leave the rest of the output alone.
    fn as_json(&self) -> String {
        let home = &self.setup.home;
        let told = json!({
            "dashboard": self.dashboard(),
            "mcp": self.mcp(),
            "health": self.health(),
            "listening": self.address.to_string(),
            "token": self.token,
            "token_file": home.token().display().to_string(),
            "data": home.path().display().to_string(),
        });
        format!("{told}\n")
    }

    fn as_page(&self) -> Page {
        let home = &self.setup.home;
        // Lines to be copied are not wrapped.
        let screen = crate::screen::Screen { width: None, ..self.setup.screen };
        let mut page = Page::new(screen);
        page.say(&format!(
            "Quipu serves the memory of {}. Ctrl-C ends it.",
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
        page.blank()
            .say("On this machine these need no server: claude mcp add -s user quipu -- quipu mcp");
        page
    }

    fn connections(&self) -> Vec<(&'static str, String)> {
        let (mcp, token) = (self.mcp(), self.token);
        let header = format!("Authorization: Bearer {token}");
        let cursor = json!({"mcpServers": {"quipu": {"url": mcp, "headers": {"Authorization": format!("Bearer {token}")}}}});
        vec![
            ("Claude Code", format!("claude mcp add -s user -t http quipu {mcp} -H \"{header}\"")),
            (
                "Codex",
                format!(
                    "export QUIPU_TOKEN={token}; codex mcp add quipu --url {mcp} --bearer-token-env-var QUIPU_TOKEN"
                ),
            ),
            ("Cursor", format!("in ~/.cursor/mcp.json: {cursor}")),
            (
                "any other",
                format!(
                    "{mcp} with the header {header}, or without it: then you are asked in the browser"
                ),
            ),
        ]
    }
}
