//! Sets up logging on standard error, so that it never mixes with output or with the MCP protocol
//! on standard output, and the export of traces beside it.

use crate::exit::Problem;
use traces::SpanLayer;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Protocol library, which logs every message; it is capped at `warn` unless the filter names it.
const NOISY_CRATE: &str = "rmcp";

/// Target of the spans for traces. They are not for the log, whatever its filter.
const TRACES_OFF: &str = "quipu::trace=off";

/// Starts logging, and feeds spans to the export of traces if there is one.
///
/// # Errors
/// Fails when the filter cannot be parsed.
pub fn init(filter: &str, spans: Option<SpanLayer>) -> Result<(), Problem> {
    let capped = format!("{},{TRACES_OFF}", with_noisy_crate_capped(filter));
    let filter = capped.parse::<Targets>().map_err(|error| {
        let message = format!("the log filter `{filter}` is invalid: {error}");
        Problem::usage(message, "Use error, warn, info, debug or trace, as in QUIPU_LOG=info.")
    })?;
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // A client may close its end of the pipe. To report on standard error that standard error
        // is closed would end the process.
        .log_internal_errors(false)
        .with_ansi(false)
        // The client or service manager that collects the log adds timestamps.
        .without_time()
        .compact();
    let registry = tracing_subscriber::registry();
    // A second call in one process, as in tests, keeps the first subscriber.
    let _ = match spans {
        Some(spans) => {
            registry.with(log.with_filter(filter)).with(spans.with_target_filter()).try_init()
        }
        // A filter for the whole process costs less than one for each layer.
        None => registry.with(log).with(filter).try_init(),
    };
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
