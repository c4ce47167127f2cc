//! Sets up logging on standard error, so that it never mixes with output or with the MCP protocol
//! on standard output.

use crate::exit::Problem;
use tracing_subscriber::EnvFilter;

/// Protocol library, which logs every message; it is capped at `warn` unless the filter names it.
const NOISY_CRATE: &str = "rmcp";

/// Starts logging.
///
/// # Errors
/// Fails when the filter cannot be parsed.
pub fn init(filter: &str) -> Result<(), Problem> {
    let filter = EnvFilter::try_new(with_noisy_crate_capped(filter)).map_err(|error| {
        let message = format!("the log filter `{filter}` is invalid: {error}");
        Problem::usage(message, "Use error, warn, info, debug or trace, as in QUIPU_LOG=info.")
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A client may close its end of the pipe. To report on standard error that standard error
        // is closed would end the process.
        .log_internal_errors(false)
        .with_ansi(false);
    // The client or service manager that collects the log adds timestamps.
    let log = log.without_time();
    // A second call in one process, as in tests, keeps the first subscriber.
    let _ = log.compact().try_init();
    Ok(())
}

fn with_noisy_crate_capped(filter: &str) -> String {
    if filter.contains(NOISY_CRATE) {
        filter.to_owned()
    } else {
        format!("{filter},{NOISY_CRATE}=warn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_library_is_only_logged_when_named() {
        assert_eq!(with_noisy_crate_capped("debug"), "debug,rmcp=warn");
        assert_eq!(with_noisy_crate_capped("warn,rmcp=trace"), "warn,rmcp=trace");
    }
}
