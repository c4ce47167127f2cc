//! `quipu ready`: tells whether a server is ready, for the health checks of containers.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::server_address::server_address;
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::Args;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time that the server may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum size of the response.
const RESPONSE_BYTES_MAX: u64 = 16 * 1024;

const EXAMPLES: &str = "\
Examples:
  quipu ready
  quipu ready --metrics 127.0.0.1:9717";

/// Tell whether a server is ready, for health checks of containers
///
/// Asks the address of `serve --metrics`, or else the one that `serve` listens on. Ends with 0 if
/// the server and its store answer, and with 1 otherwise.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ReadyArgs {
    /// Address of `serve --metrics` [default: the address of `serve`]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_METRICS", hide_env_values = true)]
    metrics: Option<SocketAddr>,
}

impl ReadyArgs {
    /// Asks the server.
    ///
    /// # Errors
    /// Fails when the server does not answer, or is not ready.
    pub fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let address = self.metrics.unwrap_or_else(|| server_address(setup));
        let advice = "Start `quipu serve`, or look at its log.";
        let status = request_state(address).map_err(|error| {
            Problem::failed(format!("no server answers at {address}: {error}"), advice)
        })?;
        if status != 200 {
            return Err(Problem::failed(format!("the server at {address} is not ready"), advice));
        }
        let mut page = TextPage::new(setup.terminal);
        page.add_text("Ready.");
        Ok(CommandOutput::new(json!({ "ready": true }), page))
    }
}

/// Returns the status of the response to a request for the state of the server.
fn request_state(address: SocketAddr) -> std::io::Result<u16> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let host = if address.ip().is_unspecified() { "127.0.0.1".into() } else { address.to_string() };
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(RESPONSE_BYTES_MAX).read_to_string(&mut answer)?;
    parse_status(&answer).ok_or_else(|| std::io::Error::other("the response has no status"))
}

fn parse_status(answer: &str) -> Option<u16> {
    answer.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_in_the_first_line() {
        assert_eq!(parse_status("HTTP/1.1 200 OK\r\n\r\n"), Some(200));
        assert_eq!(parse_status("HTTP/1.1 503 Service Unavailable\r\n"), Some(503));
        for other in ["", "HTTP/1.1 ", "SSH-2.0", "HTTP/1.1 abc"] {
            assert_eq!(parse_status(other), None, "{other}");
        }
    }
}
