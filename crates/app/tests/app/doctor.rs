//! Each finding of the doctor names the command that mends it, and that command does.

use crate::test_env::TestEnv;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use testkit::{KillPlan, run_and_kill};

const TEXT: &str = "The billing service uses PostgreSQL 16.";

fn env_with_memory() -> TestEnv {
    let env = TestEnv::new();
    env.quipu(&["remember", TEXT]).success();
    env
}

fn owner_file(env: &TestEnv, name: &str) -> PathBuf {
    env.home().join("owners/me").join(name)
}

/// Returns the state of a check and the advice of it.
fn finding(env: &TestEnv, name: &str) -> (String, String) {
    let run = env.quipu(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name).unwrap();
    let text = |field: &str| check[field].as_str().unwrap_or_default().to_owned();
    (text("state"), format!("{} {}", text("found"), text("mend")))
}

#[track_caller]
fn assert_mended(env: &TestEnv, name: &str, command: &[&str]) {
    let (state, advice) = finding(env, name);
    assert_eq!(state, "fail", "{name}: {advice}");
    let named = format!("quipu {}", command.join(" "));
    assert!(advice.contains(&named), "`{named}` is not in: {advice}");
    env.quipu(command).success();
    let (state, advice) = finding(env, name);
    assert_eq!(state, "ok", "{name}: {advice}");
    assert_eq!(env.quipu(&["doctor"]).code, Some(0));
    assert!(env.quipu(&["recall", "billing"]).success().contains("PostgreSQL"));
}

#[test]
fn an_audit_log_without_its_key_head_or_checkpoints_is_begun_anew() {
    for file in ["audit.key", "audit.head", "audit.checkpoints"] {
        let env = env_with_memory();
        std::fs::remove_file(owner_file(&env, file)).unwrap();
        assert_eq!(env.quipu(&["audit", "verify"]).code, Some(1), "{file}");
        assert_eq!(env.quipu(&["audit", "head"]).code, Some(1), "{file}");
        assert_mended(&env, "audit", &["audit", "restart"]);
        let log = env.json(&["audit", "list", "-n", "50"]).to_string();
        assert!(log.contains("began the audit log anew"), "{log}");
    }
}

#[test]
fn an_older_memory_put_back_is_found_by_the_head_and_by_a_line_kept_elsewhere() {
    let env = env_with_memory();
    env.quipu(&["backup", "older.db"]).success();
    env.quipu(&["remember", "The archive is in the cellar."]).success();
    let line = env.quipu(&["audit", "head"]).success().trim().to_owned();
    assert!(line.starts_with("quipu-audit-head:me:"), "{line}");
    let contained = env.quipu(&["audit", "verify", "--head", &line]).success();
    assert!(contained.contains("contains event"), "{contained}");
    std::fs::copy(env.work().join("older.db"), owner_file(&env, "memory.db")).unwrap();
    let run = env.quipu(&["audit", "verify"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("according to the kept head"), "{}", run.stdout);
    assert_mended(&env, "audit", &["audit", "restart"]);
    let run = env.quipu(&["audit", "verify", "--head", &line]);
    assert_eq!(run.code, Some(1), "what is kept elsewhere cannot be begun anew: {}", run.stdout);
    assert_eq!(env.quipu(&["audit", "verify", "--head", "nonsense"]).code, Some(2));
}

#[test]
fn a_restore_is_no_alarm() {
    let env = env_with_memory();
    env.quipu(&["backup", "older.db"]).success();
    env.quipu(&["remember", "The archive is in the cellar."]).success();
    for arguments in [
        &["restore", "--force", "older.db"][..],
        &["restore", "--force", "older.db", "--reset-credentials"],
    ] {
        env.quipu(arguments).success();
        env.quipu(&["audit", "verify"]).success();
        assert_eq!(finding(&env, "audit").0, "ok");
    }
}

#[test]
fn a_log_of_another_memory_is_refused_and_moved_away() {
    let (env, other) = (env_with_memory(), env_with_memory());
    // A process that is killed leaves its log behind.
    let input = other.root().join("lines.txt");
    let lines: String =
        (0..2_000).map(|n| format!("The kettle number {n} is on the stove.\n")).collect();
    std::fs::write(&input, lines).unwrap();
    let mut command = other.command(&["remember", "--each-line"]);
    command.stdin(std::fs::File::open(&input).unwrap());
    run_and_kill(&mut command, KillPlan { lines: 5, pause: Duration::ZERO }).unwrap();
    let log = "memory.db-wal";
    std::fs::copy(owner_file(&other, log), owner_file(&env, log)).unwrap();
    let run = env.quipu(&["recall", "billing"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("memory.db-wal belongs to another memory"), "{}", run.stderr);
    assert_mended(&env, "log", &["doctor", "--fix"]);
    assert!(owner_file(&env, "memory.db-wal.foreign1").exists(), "it is kept");
}

#[test]
fn a_damaged_page_of_the_list_of_owners_is_found_and_the_list_made_anew() {
    let env = env_with_memory();
    let file = env.home().join("control.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4_096..4_500].fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    assert_mended(&env, "control", &["doctor", "--fix"]);
    assert!(env.home().join("control.damaged").exists(), "it is kept");
}
