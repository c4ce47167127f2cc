//! Termination signals, as a token that is cancelled when one arrives. A process that does not end
//! within a few seconds after one is ended.

use crate::exit::{Exit, Problem};
use std::sync::mpsc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Time within which a process ends by itself after a signal. Calls in progress are answered for
/// five seconds, and then the usage log and the snapshot are written.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns a token that is cancelled when the process receives a termination signal.
///
/// # Errors
/// Fails when the signal handlers cannot be installed.
pub fn shutdown_token() -> Result<CancellationToken, Problem> {
    let token = CancellationToken::new();
    let (installed, outcome) = mpsc::channel();
    let cancelled = token.clone();
    // A thread and a runtime of its own: the signal is heard also when every thread of the other
    // runtime is busy or stuck.
    let listen = move || match listening() {
        Err(error) => installed.send(Err(error)).unwrap_or_default(),
        Ok((runtime, signal)) => {
            installed.send(Ok(())).unwrap_or_default();
            runtime.block_on(signal);
            cancelled.cancel();
            std::thread::sleep(SHUTDOWN_TIMEOUT);
            tracing::error!("did not end in time after a signal; ending now");
            std::process::exit(Exit::Failed as i32);
        }
    };
    let started = std::thread::Builder::new().name("quipu-signals".to_owned()).spawn(listen);
    let outcome = started.and_then(|_| outcome.recv().unwrap_or(Ok(())));
    outcome.map(|()| token).map_err(|error| {
        Problem::failed(
            format!("cannot listen for signals: {error}"),
            "Start it from a regular shell or service.",
        )
    })
}

/// Installs the handlers.
fn listening() -> std::io::Result<(Runtime, impl Future<Output = ()>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let entered = runtime.enter();
    let signal = termination_signal()?;
    drop(entered);
    Ok((runtime, signal))
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
