//! Plausibility of the clock, before something is removed because of its age. A clock that jumped
//! by years makes everything look old; what the store has seen lately tells.

use engine_core::call::Call;
use model::{Failure, Moment, Page};
use store::AuditQuery;

/// Longest time without any event after which the clock is trusted at once.
const SILENCE_DAYS: i64 = 31;
/// Time that events must span before a clock is trusted after a longer silence.
const CONFIRMATION_DAYS: i64 = 1;
/// Time without any event after which the clock is doubted.
const LONG_SILENCE_DAYS: i64 = 365;
/// Largest difference between the clocks of two machines that is nothing to wonder about.
const TOLERANCE_SECONDS: i64 = 3_600;

/// Returns whether the store has seen events in the month before yesterday. After a jump of the
/// clock there are none, and after a long silence there are once the clock has been right for a
/// day: removing old things a day later does no harm, removing them too early does.
pub(crate) async fn is_clock_plausible(call: &Call<'_>) -> Result<bool, Failure> {
    let until = call.at.plus_days(-CONFIRMATION_DAYS);
    let recent = AuditQuery {
        from: Some(until.plus_days(-SILENCE_DAYS)),
        until: Some(until),
        ..AuditQuery::default()
    };
    let seen = call.store().audit(&recent, Page::first(1)).await?.total > 0;
    if !seen {
        tracing::info!(now = %call.at, "nothing is removed by age until the clock is confirmed");
    }
    Ok(seen)
}

/// Returns the reason to doubt the clock: the newest event is dated in the future, or so long ago
/// that the clock may have jumped ahead.
pub(crate) async fn clock_doubt(call: &Call<'_>) -> Result<Option<String>, Failure> {
    let soon = call.at.plus_seconds(TOLERANCE_SECONDS);
    let newest = async |from: Option<Moment>, until: Option<Moment>| {
        let query = AuditQuery { from, until, ..AuditQuery::default() };
        let listed = call.store().audit(&query, Page::first(1)).await?;
        Ok::<_, Failure>(listed.items.into_iter().next())
    };
    let (past, future) = (newest(None, Some(soon)).await?, newest(Some(soon), None).await?);
    Ok(match (past, future) {
        // An event after it shows that the clock was set right since.
        (past, Some(future)) if past.as_ref().is_none_or(|past| past.id < future.id) => {
            Some(format!("the clock says {}, but an event is dated {}", call.at, future.at))
        }
        (Some(past), _) if past.at < call.at.plus_days(-LONG_SILENCE_DAYS) => {
            Some(format!("the clock says {}, but the newest event is of {}", call.at, past.at))
        }
        _ => None,
    })
}

/// Returns whether a moment of the past, as somebody noted it, is in the future: the clock was
/// wrong then or is wrong now.
pub(crate) fn is_from_the_future(noted: Moment, now: Moment) -> bool {
    noted > now.plus_seconds(TOLERANCE_SECONDS)
}
