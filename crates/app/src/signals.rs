//! The signals that ask a process to end, as a token that is cancelled once one arrives.

use crate::exit::Problem;
use tokio_util::sync::CancellationToken;

/// A token that is cancelled when the process is asked to end.
///
/// # Errors
/// When the system lets nobody listen for signals.
pub fn stop() -> Result<CancellationToken, Problem> {
    let token = CancellationToken::new();
    let asked = asked_to_end().map_err(|error| {
        Problem::failed(
            format!("listening for signals failed: {error}"),
            "Start it from a usual shell or service.",
        )
    })?;
    let cancelled = token.clone();
    tokio::spawn(async move {
        asked.await;
        cancelled.cancel();
    });
    Ok(token)
}

#[cfg(unix)]
fn asked_to_end() -> std::io::Result<impl Future<Output = ()>> {
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
fn asked_to_end() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a way to be told, the process ends when its client closes the pipe.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
