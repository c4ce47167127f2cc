//! Termination signals, as a token that is cancelled when one arrives.

use crate::exit::Problem;
use tokio_util::sync::CancellationToken;

/// Returns a token that is cancelled when the process receives a termination signal.
///
/// # Errors
/// Fails when the signal handlers cannot be installed.
pub fn shutdown_token() -> Result<CancellationToken, Problem> {
    let token = CancellationToken::new();
    let signal = termination_signal().map_err(|error| {
        Problem::failed(
            format!("cannot listen for signals: {error}"),
            "Start it from a regular shell or service.",
        )
    })?;
    let cancelled = token.clone();
    tokio::spawn(async move {
        signal.await;
        cancelled.cancel();
    });
    Ok(token)
}

#[cfg(unix)]
fn termination_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn termination_signal() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        // If the handler cannot be installed, the process still ends when its client closes the
        // pipe.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
