//! Restoring the backup of one owner into a database, while servers are running.

use crate::server_process::ServerProcess;
use crate::teams::{address, call, second_server, try_call};
use crate::test_env::{QuipuOutput, TestEnv, run_to_end};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

struct RestoreTeam {
    servers: [ServerProcess; 2],
    homes: [TestEnv; 2],
    store: String,
}

impl RestoreTeam {
    fn start(test: &str) -> Option<Self> {
        let store = address(test)?;
        let first = TestEnv::new();
        run_to_end(first.command(&["migrate"]).env("QUIPU_STORE", &store), "").success();
        let second = second_server(&first);
        let serve = |env| ServerProcess::start_with(env, &["--store", &store]);
        let servers = [serve(&first), serve(&second)];
        Some(Self { servers, homes: [first, second], store })
    }

    fn run(&self, words: &[&str]) -> QuipuOutput {
        run_to_end(self.homes[0].command(words).env("QUIPU_STORE", &self.store), "")
    }

    /// Asserts that both servers find a text, or that neither does.
    #[track_caller]
    fn assert_found(&self, text: &str, expected: bool) {
        for server in &self.servers {
            let found = call(server, "recall", json!({ "query": text })).to_string();
            assert_eq!(found.contains(text), expected, "{text}: {found}");
        }
    }

    fn remember(&self, server: usize, text: &str) {
        call(&self.servers[server], "remember", json!({ "text": text }));
    }
}

#[test]
fn a_backup_replaces_the_memory_of_one_owner_in_a_database_and_the_old_one_comes_back() {
    let Some(team) = RestoreTeam::start("restores") else { return };
    team.remember(0, "The kettle is blue.");
    team.run(&["--owner", "ada", "remember", "The ferry leaves at nine."]).success();
    let backup = team.homes[0].work().join("copy.db");
    let backup = backup.to_str().unwrap();
    team.run(&["backup", backup]).success();
    team.remember(1, "The lamp is green.");
    team.assert_found("The lamp is green.", true);
    let key = ["keys", "create", "--agent", "codex", "--scope", "read", "--json"];
    team.run(&key).success();

    let refused = team.run(&["restore", backup]);
    assert!(refused.stderr.contains("already has a memory"), "{}", refused.stderr);
    team.assert_found("The lamp is green.", true);

    let restored = team.run(&["restore", "--force", backup, "--json"]).success();
    let restored: Value = serde_json::from_str(&restored).unwrap();
    assert_eq!((&restored["memories"], &restored["credentials"]), (&json!(1), &json!("kept")));
    team.assert_found("The lamp is green.", false);
    team.assert_found("The kettle is blue.", true);
    team.run(&["audit", "verify"]).success();
    let keys = team.run(&["keys", "list"]).success();
    assert!(keys.contains("codex"), "keys stay: {keys}");
    let ada = team.run(&["--owner", "ada", "recall", "ferry"]).success();
    assert!(ada.contains("The ferry leaves at nine."), "another owner: {ada}");

    // Servers write on, and what was replaced can be restored the same way.
    team.remember(1, "The door is red.");
    team.assert_found("The door is red.", true);
    let kept = restored["kept"].as_str().expect("the old memory is kept");
    team.run(&["restore", "--force", kept]).success();
    team.assert_found("The lamp is green.", true);
    team.assert_found("The door is red.", false);
    team.run(&["audit", "verify"]).success();
    team.run(&["--owner", "ada", "audit", "verify"]).success();
    assert!(!team.homes[0].home().join("restore").exists(), "nothing is left behind");
}

#[test]
fn a_backup_of_files_is_restored_for_a_new_owner_and_a_damaged_one_changes_nothing() {
    let Some(team) = RestoreTeam::start("restores_files") else { return };
    let elsewhere = TestEnv::new();
    elsewhere.quipu(&["remember", "The kettle is blue."]).success();
    let backup = elsewhere.work().join("copy.db");
    elsewhere.quipu(&["backup", backup.to_str().unwrap()]).success();
    let file = backup.to_str().unwrap();
    team.run(&["--owner", "ada", "restore", file]).success();
    let found = team.run(&["--owner", "ada", "recall", "kettle"]).success();
    assert!(found.contains("The kettle is blue."), "{found}");
    team.run(&["--owner", "ada", "audit", "verify"]).success();

    let mut bytes = std::fs::read(&backup).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    std::fs::write(&backup, bytes).unwrap();
    let refused = team.run(&["--owner", "ada", "restore", "--force", file]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("nothing was changed"), "{}", refused.stderr);
    let found = team.run(&["--owner", "ada", "recall", "kettle"]).success();
    assert!(found.contains("The kettle is blue."), "{found}");
    assert!(try_call(&team.servers[0], "recall", json!({ "query": "blorptang" })).is_some());
}

/// Writes through a server until it is told to stop, and notes what was acknowledged.
struct ParcelWriters<'t> {
    team: &'t RestoreTeam,
    next: AtomicUsize,
    stop: AtomicBool,
    acknowledged: Mutex<Vec<usize>>,
}

fn parcel(number: usize) -> String {
    format!("Parcel number {number} was sent to Lima.")
}

impl ParcelWriters<'_> {
    fn write(&self, server: usize) {
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let input = json!({ "text": parcel(number) });
            if try_call(&self.team.servers[server], "remember", input).is_some() {
                self.acknowledged.lock().unwrap().push(number);
            }
        }
    }

    /// Waits until so many more were acknowledged.
    fn wait_for(&self, more: usize) {
        let written = || self.acknowledged.lock().unwrap().len();
        let before = written();
        while written() < before + more {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

#[test]
fn a_write_that_was_acknowledged_during_a_restore_is_in_the_old_memory_or_in_the_new_one() {
    let Some(team) = RestoreTeam::start("restores_load") else { return };
    team.remember(0, "The kettle is blue.");
    let backup = team.homes[0].work().join("copy.db");
    let backup = backup.to_str().unwrap();
    team.run(&["backup", backup]).success();
    let writers = ParcelWriters {
        team: &team,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        acknowledged: Mutex::default(),
    };
    let restored = std::thread::scope(|scope| {
        for server in [0, 1, 0, 1] {
            let writers = &writers;
            scope.spawn(move || writers.write(server));
        }
        writers.wait_for(8);
        let restored = team.run(&["restore", "--force", backup, "--json"]);
        writers.wait_for(8);
        writers.stop.store(true, Ordering::Relaxed);
        restored
    });
    let restored: Value = serde_json::from_str(&restored.success()).unwrap();
    let new = team.homes[0].work().join("new.jsonl");
    team.run(&["export", new.to_str().unwrap()]).success();
    let (elsewhere, old) = (TestEnv::new(), team.homes[0].work().join("old.jsonl"));
    elsewhere.quipu(&["restore", restored["kept"].as_str().unwrap()]).success();
    elsewhere.quipu(&["export", old.to_str().unwrap()]).success();
    let [old, new] = [old, new].map(|file| std::fs::read_to_string(file).unwrap());
    let acknowledged = writers.acknowledged.into_inner().unwrap();
    for number in &acknowledged {
        let text = parcel(*number);
        let places = [old.matches(&text).count(), new.matches(&text).count()];
        assert!(places == [1, 0] || places == [0, 1], "{text} {places:?}");
    }
    team.run(&["audit", "verify"]).success();
    println!("{} acknowledged writes during a restore, none lost or doubled", acknowledged.len());
}
