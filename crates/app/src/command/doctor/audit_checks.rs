//! Checks of the audit log against its checkpoints and its head, and of the clock against the log.

use super::check::DoctorCheck;
use crate::render::count_with_noun;
use crate::setup::OpenMemory;

const ADVICE_AUDIT: &str = "`quipu audit verify` lists every place. If you know the reason, such \
    as files that you copied by hand, `quipu audit restart` begins the log anew.";
const ADVICE_CLOCK: &str = "If the clock is wrong, set it (`timedatectl set-ntp true` on Linux). \
    If it is right, run `quipu doctor` again. Until then nothing is removed by its age.";
const ADVICE_LOG: &str = "QUIPU_LOG=error shows the cause.";

/// Verifies the audit log.
pub(super) async fn audit(memory: &OpenMemory) -> DoctorCheck {
    match memory.engine.admin().verify_audit(&memory.caller_for("doctor")).await {
        Ok(report) => match report.faults.first() {
            None => DoctorCheck::ok(
                "audit",
                format!(
                    "intact, {}, consistent with its head",
                    count_with_noun(report.events, "event", "events")
                ),
            ),
            Some(first) => DoctorCheck::fail("audit", first.to_string(), ADVICE_AUDIT),
        },
        Err(failure) => DoctorCheck::fail("audit", failure.message, ADVICE_LOG),
    }
}

/// Checks the clock against the times of the events.
pub(super) async fn clock(memory: &OpenMemory) -> DoctorCheck {
    match memory.engine.admin().clock_doubt(&memory.caller_for("doctor")).await {
        Ok(None) => DoctorCheck::ok("clock", "agrees with the audit log"),
        Ok(Some(doubt)) => DoctorCheck::warn("clock", doubt, ADVICE_CLOCK),
        Err(failure) => DoctorCheck::fail("clock", failure.message, ADVICE_LOG),
    }
}
