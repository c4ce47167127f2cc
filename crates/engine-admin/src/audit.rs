//! The audit log: read, held against its chain, and kept for as long as the owner wants. The
//! owner's alone.

use crate::Admin;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{AuditEvent, Failure, Listing, Moment, Page, Permission, limits};
use serde_json::{Value, json};
use store::{AuditQuery, ChainReport, Change};

/// The setting that says for how many days events are kept.
const KEEP_DAYS: &str = "audit_keep_days";
/// The setting that remembers how the log was when it was last walked along.
const VERIFIED: &str = "audit_verified";
/// The shortest and the longest time that events may be kept, in days.
const DAYS: (f64, f64) = (1.0, 36_500.0);
const SECONDS_PER_DAY: i64 = 86_400;

/// How the audit log was when it was last walked along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditVerified {
    /// When.
    pub at: Moment,
    /// How many events held together.
    pub events: u64,
    /// In how many places it did not hold.
    pub faults: u64,
}

impl AuditVerified {
    fn read(kept: &Value) -> Option<Self> {
        Some(Self {
            at: Moment(kept["at"].as_i64()?),
            events: kept["events"].as_u64()?,
            faults: kept["faults"].as_u64()?,
        })
    }
}

impl Admin<'_> {
    /// Audit events that match, newest first. What this process read and has not written down yet
    /// is among them.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn audit(
        self,
        caller: &Caller,
        query: &AuditQuery,
        page: Page,
    ) -> Result<Listing<AuditEvent>, Failure> {
        let call = self.auditing(caller, &(query, page)).await?;
        self.core.flush_usage().await;
        let events = call.store().audit(query, page.capped()).await?;
        call.note_shown(format!("listed {} events", events.items.len()), &[]).await;
        Ok(events)
    }

    /// Walks along the chain from end to end, and says where it does not hold.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; what is wrong with the chain is part
    /// of the answer.
    pub async fn verify_audit(self, caller: &Caller) -> Result<ChainReport, Failure> {
        let call = self.auditing(caller, &"verify").await?;
        self.core.flush_usage().await;
        let report = call.store().verify_audit().await?;
        let value =
            json!({ "at": call.at.0, "events": report.events, "faults": report.faults.len() });
        let change = Change::PutSetting { name: VERIFIED.to_owned(), value };
        let note = format!("verified the audit log: {} faults", report.faults.len());
        if let Err(failure) = call.write(note, vec![change]).await {
            // What was found is worth more than remembering it.
            tracing::warn!(%failure, "how the audit log was found could not be kept");
        }
        Ok(report)
    }

    /// How the audit log was when it was last walked along; `None` before the first time.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn audit_verified(self, caller: &Caller) -> Result<Option<AuditVerified>, Failure> {
        self.auditing(caller, &"verified").await?;
        let kept = self.core.store_of(&caller.owner).setting(VERIFIED).await?;
        Ok(kept.as_ref().and_then(AuditVerified::read))
    }

    /// Tells in the log what only the owner may do and what leaves no trace in the memory itself.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn note_of_owner(self, caller: &Caller, note: &str) -> Result<(), Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Administration, Permission::Write, &note)
                .await?;
        call.note_done(note).await
    }

    /// Says for how many days events are kept; `None` for as long as there is room.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn keep_audit(self, caller: &Caller, days: Option<u32>) -> Result<(), Failure> {
        let call = self.auditing(caller, &("keep", days)).await?;
        days.map_or(Ok(()), |days| limits::range(KEEP_DAYS, f64::from(days), DAYS.0, DAYS.1))?;
        let told = days.map_or("for ever".to_owned(), |days| format!("for {days} days"));
        let change = Change::PutSetting { name: KEEP_DAYS.to_owned(), value: days.into() };
        call.write(format!("keeps the audit log {told}"), vec![change]).await?;
        Ok(())
    }

    /// For how many days events are kept; `None` for as long as there is room.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn audit_kept_days(self, caller: &Caller) -> Result<Option<i64>, Failure> {
        self.auditing(caller, &"kept").await?;
        self.kept_days(caller).await
    }

    /// Removes events that are older than the owner keeps them, and answers how many that were.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn prune_audit(self, caller: &Caller) -> Result<usize, Failure> {
        let call = self.auditing(caller, &"prune").await?;
        let Some(days) = self.kept_days(caller).await? else { return Ok(0) };
        let before = call.at.plus_seconds(-days.saturating_mul(SECONDS_PER_DAY));
        let removed = call.store().prune_audit(before).await?;
        if removed > 0 {
            call.note_done(format!("removed {removed} events from before {before}")).await?;
        }
        Ok(removed)
    }

    async fn auditing<'e>(
        &'e self,
        caller: &'e Caller,
        arguments: &impl std::fmt::Debug,
    ) -> Result<Call<'e>, Failure> {
        Call::begin(self.core, caller, Resource::Administration, Permission::Read, arguments).await
    }

    async fn kept_days(self, caller: &Caller) -> Result<Option<i64>, Failure> {
        let kept = self.core.store_of(&caller.owner).setting(KEEP_DAYS).await?;
        Ok(kept.as_ref().and_then(Value::as_i64).filter(|days| *days > 0))
    }
}
