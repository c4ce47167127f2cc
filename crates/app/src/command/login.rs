//! `quipu login`: requests a single-use dashboard link from the running `quipu serve`, over its
//! REST interface and with the owner's token. The HTTP request is written by hand, to avoid a
//! client library for one call.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::server_address::server_address;
use crate::setup::Setup;
use crate::text_page::TextPage;
use crate::token;
use clap::Args;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Timeout of connecting, and of each read and write.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the response.
const RESPONSE_BYTES_MAX: u64 = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  quipu login
  quipu login --listen 127.0.0.1:8080

A running server is found on any port. The link works once and expires after
ten minutes.";

/// Print a new link to the dashboard of a running `quipu serve`
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct LoginArgs {
    /// Address that `serve` listens on [default: that of the running one]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
}

impl LoginArgs {
    /// Requests a link from the server.
    ///
    /// # Errors
    /// Fails when no server listens at the address, or it does not accept the token.
    pub fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let address = self.listen.unwrap_or_else(|| server_address(setup));
        let token = token::load_or_create_token(&setup.home.token_file())?;
        let path = request_link(address, &token).map_err(|error| {
            let message =
                format!("`quipu serve` does not run at {address} for this memory: {error}");
            Problem::failed(message, "Start `quipu serve`, or pass its address with --listen.")
        })?;
        let link = format!("http://{address}{path}");
        let mut page = TextPage::new(crate::terminal::Terminal { width: None, ..setup.terminal });
        page.add_text(&link);
        Ok(CommandOutput::new(json!({ "dashboard": link }), page))
    }
}

/// Requests a new link and returns its path.
fn request_link(address: SocketAddr, token: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = format!(
        "POST /v1/login-links HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(RESPONSE_BYTES_MAX).read_to_string(&mut answer)?;
    parse_link(&answer).ok_or_else(|| std::io::Error::other("the response contains no link"))
}

/// Returns the link in the response, if the request succeeded.
fn parse_link(answer: &str) -> Option<String> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let done = head.lines().next()?.split(' ').nth(1)? == "200";
    let body: Value = serde_json::from_str(body.trim()).ok().filter(|_| done)?;
    Some(body["path"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_link_of_a_successful_response_is_used() {
        let given = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"path\": \"/login?link=a\"}";
        assert_eq!(parse_link(given).as_deref(), Some("/login?link=a"));
        for other in [
            "",
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 401 No\r\n\r\n{\"path\": \"/login?link=a\"}",
        ] {
            assert_eq!(parse_link(other), None, "{other}");
        }
    }
}
