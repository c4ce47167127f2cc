//! The audit log: reading it, verifying its hash chain, and its retention period. Only the owner in
//! person may use it.

use crate::Admin;
use crate::clock_check::{clock_doubt, is_clock_plausible};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{AuditEvent, Failure, Listing, Moment, Page, Permission, limits};
use serde_json::{Value, json};
use store::{AuditQuery, ChainAnchor, ChainReport, Change};

// These keys are stored in the owner's settings and must not change.
const KEEP_DAYS: &str = "audit_keep_days";
const VERIFIED: &str = "audit_verified";
/// Shortest and longest retention period, in days.
const DAYS: (f64, f64) = (1.0, 36_500.0);

/// Result of the last verification of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditVerification {
    pub at: Moment,
    /// Number of events whose chain is intact.
    pub events: u64,
    /// Number of broken places in the chain.
    pub faults: u64,
    /// The first broken place, in words.
    pub problem: Option<String>,
    /// The head of the log as a line to keep elsewhere; `None` when the log was broken.
    pub head: Option<String>,
}

impl AuditVerification {
    fn decode(stored: &Value) -> Option<Self> {
        let text = |field: &str| stored[field].as_str().map(str::to_owned);
        Some(Self {
            at: Moment(stored["at"].as_i64()?),
            events: stored["events"].as_u64()?,
            faults: stored["faults"].as_u64()?,
            problem: text("problem"),
            head: text("head"),
        })
    }
}

impl<'e> Admin<'e> {
    /// Returns the matching audit events, newest first, including reads of this process that were
    /// still in memory.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn audit(
        self,
        caller: &'e Caller,
        query: &'e AuditQuery,
        page: Page,
    ) -> UseCaseFuture<'e, Listing<AuditEvent>> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &(query, page)).await?;
            // Reads are logged in batches; the pending ones belong to the listing as well.
            self.core.flush_usage().await;
            let events = call.store().audit(query, page.capped()).await?;
            call.note_shown(format!("listed {} events", events.items.len()), &[]).await;
            Ok(events)
        })
    }

    /// Verifies the hash chain from end to end and returns the broken places.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person. A broken chain is reported in the
    /// result, not as an error.
    pub fn verify_audit(self, caller: &'e Caller) -> UseCaseFuture<'e, ChainReport> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &"verify").await?;
            self.core.flush_usage().await;
            let report = call.store().verify_audit().await?;
            let value = json!({
                "at": call.at.0,
                "events": report.events,
                "faults": report.faults.len(),
                "problem": report.faults.first().map(ToString::to_string),
                "head": report.anchor(&caller.owner).map(|anchor| anchor.to_line()),
            });
            let change = Change::PutSetting { name: VERIFIED.to_owned(), value };
            let note = format!("verified the audit log: {} faults", report.faults.len());
            if let Err(failure) = call.write(note, vec![change]).await {
                // The report matters more than the note that it was made.
                tracing::warn!(%failure, "could not store the result of the audit verification");
            }
            Ok(report)
        })
    }

    /// Compares a head of the log that was kept elsewhere with a verified log. Returns the problem
    /// in words; `None` when the log contains it.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person. `invalid_argument` for the head of
    /// another owner's log.
    pub fn compare_audit_head(
        self,
        caller: &'e Caller,
        report: &'e ChainReport,
        anchor: &'e ChainAnchor,
    ) -> UseCaseFuture<'e, Option<String>> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &("head", anchor)).await?;
            if anchor.owner != caller.owner {
                return Err(Failure::invalid(format!(
                    "the line is the head of the log of {}, not of {}",
                    anchor.owner, caller.owner
                )));
            }
            let carried = call.store().audit_mac(anchor.id).await?;
            Ok(anchor.check(report, carried).err())
        })
    }

    /// Returns the result of the last verification; `None` before the first one.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn last_audit_verification(
        self,
        caller: &'e Caller,
    ) -> UseCaseFuture<'e, Option<AuditVerification>> {
        Box::pin(async move {
            self.begin_audit(caller, &"verified").await?;
            let stored = self.core.store_of(&caller.owner).setting(VERIFIED).await?;
            Ok(stored.as_ref().and_then(AuditVerification::decode))
        })
    }

    /// Logs an action of the owner that changes nothing in the store itself.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn note_owner_action(self, caller: &'e Caller, note: &'e str) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, &note)
                    .await?;
            call.note_done(note).await
        })
    }

    /// Sets the retention period in days; `None` keeps events without a limit.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn set_audit_retention(
        self,
        caller: &'e Caller,
        days: Option<u32>,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &("keep", days)).await?;
            days.map_or(Ok(()), |days| limits::range(KEEP_DAYS, f64::from(days), DAYS.0, DAYS.1))?;
            let duration = days.map_or("forever".to_owned(), |days| format!("for {days} days"));
            let change = Change::PutSetting { name: KEEP_DAYS.to_owned(), value: days.into() };
            call.write(format!("keeps the audit log {duration}"), vec![change]).await?;
            Ok(())
        })
    }

    /// Returns the retention period in days; `None` when events are kept without a limit.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn audit_retention_days(self, caller: &'e Caller) -> UseCaseFuture<'e, Option<i64>> {
        Box::pin(async move {
            self.begin_audit(caller, &"kept").await?;
            self.retention_days(caller).await
        })
    }

    /// Removes events older than the retention period and returns their number.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn prune_audit(self, caller: &'e Caller) -> UseCaseFuture<'e, usize> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &"prune").await?;
            let Some(days) = self.retention_days(caller).await? else { return Ok(0) };
            if !is_clock_plausible(&call).await? {
                return Ok(0);
            }
            let before = call.at.plus_days(-days);
            let removed = call.store().prune_audit(before).await?;
            if removed > 0 {
                // The chain continues from a checkpoint in the store; this event says why it starts
                // late.
                call.note_done(format!("removed {removed} events from before {before}")).await?;
            }
            Ok(removed)
        })
    }

    /// Returns the reason, in words, to doubt the clock or the times in the log; `None` when there
    /// is none.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn clock_doubt(self, caller: &'e Caller) -> UseCaseFuture<'e, Option<String>> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &"clock").await?;
            clock_doubt(&call).await
        })
    }

    /// Returns whether the clock agrees with what the store has seen, so that old things may be
    /// removed by their age.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn is_clock_plausible(self, caller: &'e Caller) -> UseCaseFuture<'e, bool> {
        Box::pin(async move {
            let call = self.begin_audit(caller, &"clock").await?;
            is_clock_plausible(&call).await
        })
    }

    async fn begin_audit(
        self,
        caller: &'e Caller,
        arguments: &(dyn std::fmt::Debug + Sync),
    ) -> Result<Call<'e>, Failure> {
        Call::begin(self.core, caller, Resource::Administration, Permission::Read, arguments).await
    }

    async fn retention_days(self, caller: &Caller) -> Result<Option<i64>, Failure> {
        let stored = self.core.store_of(&caller.owner).setting(KEEP_DAYS).await?;
        Ok(stored.as_ref().and_then(Value::as_i64).filter(|days| *days > 0))
    }
}
