//! The log: on standard error, so that it never mixes with answers or with the protocol on standard
//! output.

use crate::exit::Problem;
use tracing_subscriber::EnvFilter;

/// The protocol library tells of every message; that is only wanted by whoever asks for it by name.
const QUIET: &str = "rmcp";

/// Starts the log.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: &str) -> Result<(), Problem> {
    let filter = EnvFilter::try_new(with_quiet(filter)).map_err(|error| {
        let message = format!("the log filter `{filter}` is not right: {error}");
        Problem::usage(message, "Use error, warn, info, debug or trace, as in QUIPU_LOG=info.")
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false);
    // Whoever collects the log, a client or a service, stamps the time on it.
    let log = log.without_time();
    // A second start in one process leaves the first log as it is.
    let _ = log.compact().try_init();
    Ok(())
}

fn with_quiet(filter: &str) -> String {
    if filter.contains(QUIET) { filter.to_owned() } else { format!("{filter},{QUIET}=warn") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_library_is_only_heard_when_named() {
        assert_eq!(with_quiet("debug"), "debug,rmcp=warn");
        assert_eq!(with_quiet("warn,rmcp=trace"), "warn,rmcp=trace");
    }
}
