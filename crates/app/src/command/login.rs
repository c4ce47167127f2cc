//! `quipu login`: a fresh link to the dashboard of the `quipu serve` that runs. Asked for over the
//! same door as every other request, with the owner's token; the link opens once.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::page::Page;
use crate::setup::Setup;
use crate::token;
use clap::Args;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  quipu login
  quipu login --listen 127.0.0.1:8080

The link opens the dashboard once, within ten minutes.";

/// Print a fresh link to the dashboard while `quipu serve` runs
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Login {
    /// Where `serve` listens [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
}

impl Login {
    /// Asks the server for a link.
    ///
    /// # Errors
    /// When no server listens there, or it is not ours.
    pub fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let address = self.listen.unwrap_or(setup.config.listen);
        let token = token::token_in(&setup.home.token())?;
        let path = ask(address, &token).map_err(|error| {
            let message = format!("no `quipu serve` of this memory answers at {address}: {error}");
            Problem::failed(message, "Start `quipu serve`, or name another address with --listen.")
        })?;
        let link = format!("http://{address}{path}");
        let mut page = Page::new(crate::screen::Screen { width: None, ..setup.screen });
        page.say(&link);
        Ok(Answer::new(json!({ "dashboard": link }), page))
    }
}

/// The path of a new link.
fn ask(address: SocketAddr, token: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!(
        "POST /v1/login-links HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    link_in(&answer).ok_or_else(|| std::io::Error::other("it gave no link"))
}

/// The link in the server's answer, if it gave one.
fn link_in(answer: &str) -> Option<String> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let done = head.lines().next()?.split(' ').nth(1)? == "200";
    let told: Value = serde_json::from_str(body.trim()).ok().filter(|_| done)?;
    Some(told["path"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_link_that_was_given_is_taken() {
        let given = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"path\": \"/login?link=a\"}";
        assert_eq!(link_in(given).as_deref(), Some("/login?link=a"));
        for other in [
            "",
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 401 No\r\n\r\n{\"path\": \"/login?link=a\"}",
        ] {
            assert_eq!(link_in(other), None, "{other}");
        }
    }
}
