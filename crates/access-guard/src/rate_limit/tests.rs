//! Tests of the rate limiter.

use super::*;

fn key(agent: &str, class: ToolClass) -> BucketKey {
    BucketKey { owner: OwnerId::me(), agent: AgentName::new(agent), class }
}

fn take(
    buckets: &RateLimiter,
    agent: &str,
    class: ToolClass,
    second: i64,
) -> Result<TokenOutcome, RateLimitExceeded> {
    buckets.take(&key(agent, class), Moment::from_seconds(second))
}

fn drain(buckets: &RateLimiter, agent: &str, class: ToolClass, second: i64) -> usize {
    (0..).take_while(|_| take(buckets, agent, class, second).is_ok()).count()
}

#[test]
fn a_burst_passes_and_a_flood_waits_for_the_reported_time() {
    let buckets = RateLimiter::default();
    let burst = limits::WRITE_RATE.burst as usize;
    assert_eq!(drain(&buckets, "codex", ToolClass::Write, 0), burst);
    let wait = take(&buckets, "codex", ToolClass::Write, 0).unwrap_err();
    assert!(take(&buckets, "codex", ToolClass::Write, i64::from(wait.retry_after_seconds)).is_ok());
    let failure = Failure::from(wait);
    assert_eq!(failure.code, ErrorCode::RateLimited);
    assert!(failure.message.contains("wait 1 seconds"), "{failure}");
}

#[test]
fn a_bucket_refills_at_its_rate_up_to_its_burst() {
    let buckets = RateLimiter::default();
    drain(&buckets, "codex", ToolClass::Sql, 0);
    let filled = drain(&buckets, "codex", ToolClass::Sql, 2);
    assert_eq!(filled, (2.0 * limits::SQL_RATE.per_second) as usize);
    assert_eq!(
        drain(&buckets, "codex", ToolClass::Sql, 1_000_000),
        limits::SQL_RATE.burst as usize
    );
}

#[test]
fn one_agent_never_uses_up_anothers_tokens_nor_another_class() {
    let buckets = RateLimiter::default();
    drain(&buckets, "codex", ToolClass::Write, 0);
    assert!(take(&buckets, "cursor", ToolClass::Write, 0).is_ok());
    assert!(take(&buckets, "codex", ToolClass::Read, 0).is_ok());
    let owner = OwnerId::new("other").unwrap();
    let other = BucketKey { owner, ..key("codex", ToolClass::Write) };
    assert!(buckets.take(&other, Moment(0)).is_ok());
}

#[test]
fn a_clock_that_goes_back_adds_no_tokens() {
    let buckets = RateLimiter::default();
    drain(&buckets, "codex", ToolClass::Sql, 100);
    assert!(take(&buckets, "codex", ToolClass::Sql, 0).is_err());
}

#[test]
fn a_stored_bucket_has_the_same_burst_and_waits_as_long() {
    let (class, now) = (ToolClass::Guess, Moment::from_seconds(1_000));
    let mut stored: Option<StoredBucket> = None;
    let mut take = |at: Moment| {
        let (bucket, taken) =
            take_stored_token(stored.as_ref().map(|bucket| bucket.text.as_str()), class, at);
        stored = Some(bucket);
        taken
    };
    let burst = (0..).take_while(|_| take(now).is_ok()).count();
    assert_eq!(burst, limits::PASSWORD_RATE.burst as usize);
    let wait = take(now).unwrap_err();
    assert!(take(now.plus_seconds(i64::from(wait))).is_ok());
    assert!(take(now.plus_seconds(i64::from(wait))).is_err());
    assert!(take_stored_token(Some("nonsense"), class, now).1.is_err());
}

#[test]
fn the_number_of_buckets_is_limited_and_a_flood_stays_limited() {
    let buckets = RateLimiter::default();
    drain(&buckets, "flood", ToolClass::Sql, 0);
    for n in 0..=limits::RATE_BUCKETS {
        take(&buckets, &format!("agent {n}"), ToolClass::Read, 0).unwrap();
    }
    assert!(buckets.buckets.lock().len() <= limits::RATE_BUCKETS);
    assert!(take(&buckets, "flood", ToolClass::Sql, 0).is_err());
}

#[test]
fn a_server_that_counts_alone_never_reports() {
    let buckets = RateLimiter::default();
    for _ in 0..limits::SQL_RATE.burst as usize {
        assert_eq!(take(&buckets, "codex", ToolClass::Sql, 0), Ok(TokenOutcome::Taken));
    }
}

#[test]
fn unreported_calls_are_bounded_and_a_failed_report_is_repeated() {
    let (buckets, key) = (RateLimiter::shared(), key("codex", ToolClass::Sql));
    let most = RateLimiter::unreported_max(ToolClass::Sql);
    let outcomes: Vec<_> = (0..=most).map(|_| buckets.take(&key, Moment(0)).unwrap()).collect();
    let due = outcomes.iter().position(|outcome| *outcome == TokenOutcome::TakenReportDue);
    assert_eq!(due, Some(most as usize / 2 - 1), "while half of them is left");
    assert_eq!(outcomes.last(), Some(&TokenOutcome::ReportFirst));
    assert_eq!(buckets.begin_report(&key), Some(most));
    assert_eq!(buckets.begin_report(&key), None, "one is under way");
    buckets.end_report(&key, most, None);
    assert_eq!(buckets.take(&key, Moment(0)), Ok(TokenOutcome::ReportFirst));
    assert_eq!(buckets.begin_report(&key), Some(most), "again");
}

#[test]
fn a_report_tells_a_server_of_the_calls_of_the_others() {
    let (class, now) = (ToolClass::Sql, Moment::from_seconds(1_000));
    let (buckets, key) = (RateLimiter::shared(), key("codex", class));
    buckets.take(&key, now).unwrap();
    let burst = limits::SQL_RATE.burst as u32;
    let of_others = spend_stored_tokens(None, class, burst, now);
    let count = buckets.begin_report(&key).unwrap();
    let stored = spend_stored_tokens(Some(&of_others.text), class, count, now);
    buckets.end_report(&key, count, Some(&stored.text));
    let wait = buckets.take(&key, now).unwrap_err();
    let later = now.plus_seconds(i64::from(wait.retry_after_seconds));
    assert!(buckets.take(&key, later).is_ok());
    let damaged = spend_stored_tokens(Some("-1e300 0"), class, 0, now);
    assert!(damaged.full_at <= now.plus_seconds(i64::from(2 * burst)), "{damaged:?}");
}
