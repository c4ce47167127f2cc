//! Snapshots of the output of each command, with everything replaced that differs between runs.

use crate::normalize::normalize_output;
use crate::test_env::TestEnv;
use serde_json::Value;

/// Runs commands one after the other and records each command line, its output and exit code.
struct Transcript<'p> {
    env: &'p TestEnv,
    text: String,
}

impl<'p> Transcript<'p> {
    fn new(env: &'p TestEnv) -> Self {
        Self { env, text: String::new() }
    }

    fn run(&mut self, arguments: &[&str]) -> &mut Self {
        self.run_reading(arguments, "")
    }

    fn run_reading(&mut self, arguments: &[&str], input: &str) -> &mut Self {
        let run = self.env.quipu_with_input(arguments, input);
        let typed: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        self.text.push_str(&format!("$ quipu {}\n{}{}", typed.join(" "), run.stdout, run.stderr));
        if run.code != Some(0) {
            self.text.push_str(&format!("[exit {}]\n", run.code.unwrap_or(-1)));
        }
        self.text.push('\n');
        self
    }

    fn done(&self) -> String {
        normalize_output(self.env, &self.text)
    }
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '{', '"']) { format!("'{word}'") } else { word.to_owned() }
}

const DECISION: &str = "We chose PostgreSQL for billing because of row-level security.";

#[test]
fn remembering_recalling_and_showing() {
    let env = TestEnv::new();
    let mut transcript = Transcript::new(&env);
    transcript
        .run(&["recall"])
        .run(&[
            "remember",
            DECISION,
            "--kind",
            "decision",
            "--tag",
            "database",
            "--project",
            "billing",
        ])
        .run(&["remember", DECISION, "--project", "billing"])
        .run_reading(
            &["remember", "--kind", "fact", "--title", "Nightly backup"],
            "The nightly backup runs at 03:30 and is kept for thirty days; restoring it was tried \
             once and took four minutes.\n",
        )
        .run(&["remember", "--table", "meals", "--data", r#"{"food": "pizza", "calories": 800}"#])
        .run(&["remember", "--profile", r#"{"diet": "vegan"}"#])
        .run(&["remember"])
        .run(&["recall", "which", "database", "for", "billing?", "-n", "1"])
        .run(&["recall", "--kind", "fact"])
        .run(&["recall", "submarine", "--tag", "nothing"])
        .run(&["recall"])
        .run(&["show", "1"])
        .run(&["tables"])
        .run(&["tables", "meals"])
        .run(&["tables", "meals", "--set", "1", "--data", r#"{"calories": 850}"#])
        .run(&["tables", "meals", "--where", r#"{"calories": {"gt": 900}}"#])
        .run(&["tables", "--sql", "SELECT food, calories * 2 AS twice FROM meals"])
        .run(&["tables", "--sql", "DROP TABLE meals"])
        .run(&["tables", "meals", "--delete", "1"])
        .run(&["status"]);
    insta::assert_snapshot!(transcript.done());
}

#[test]
fn correcting_forgetting_and_deciding() {
    let env = TestEnv::new();
    let mut transcript = Transcript::new(&env);
    transcript
        .run(&["remember", "The API runs on port 8080.", "--kind", "fact"])
        .run(&["remember", "The API does not run on port 8080.", "--kind", "fact"])
        .run(&["review"])
        .run(&["review", "resolve", "1", "reject"])
        .run(&["review", "resolve", "1", "reject"])
        .run(&["correct", "1", "The API runs on port 8081.", "--reason", "moved in May"])
        .run(&["recall", "API", "port"])
        .run(&["show", "1"])
        .run(&["review", "flag", "3", "--reason", "nobody has seen it there"])
        .run(&["review"])
        .run(&["verify", "the API runs on port 8081"])
        .run(&["forget", "3", "--dry-run"])
        .run(&["forget", "3"])
        .run(&["forget", "--query", "API port"])
        .run(&["forget", "3", "--yes"])
        .run(&["recall", "API", "port"])
        .run(&["remember", "The API runs on port 8081."])
        .run(&["remember", "The API runs on port 8081.", "--allow-forgotten"]);
    insta::assert_snapshot!(transcript.done());
}

const HANDOFF: &str = "# Billing\n\n## Start & intent\nMove billing.\n\n## Journey\nTried it.\n\n\
                       ## Current state\nHalf done.\n\n## What's left\nThe tests.\n\n\
                       ## Open questions\nNone.\n";

#[test]
fn handing_off_and_sessions() {
    let env = TestEnv::new();
    let mut transcript = Transcript::new(&env);
    transcript
        .run(&["handoff"])
        .run_reading(&["handoff", "store", "-", "--title", "Move billing"], "# Only a title\n")
        .run_reading(
            &["handoff", "store", "-", "--title", "Move billing", "--project", "billing"],
            HANDOFF,
        )
        .run(&["handoff", "list"])
        .run(&["handoff", "show", "1"])
        .run(&["handoff", "claim", "1", "--hours", "2"])
        .run(&["handoff", "list"])
        .run(&["handoff", "list", "--state", "claimed"])
        .run(&["handoff", "complete", "1"])
        .run(&["handoff", "claim", "1"])
        .run(&["handoff", "reopen", "1"])
        .run(&["handoff", "cancel", "1"])
        .run(&["session"])
        .run(&["session", "start", "--session", "spring"])
        .run(&["remember", "Billing tests need a clock.", "--session", "spring"])
        .run(&["session", "end", "--session", "spring", "--summary", "Billing tests are green."])
        .run(&["session", "show", "spring"])
        .run(&["session"])
        .run(&["session", "show", "autumn"]);
    insta::assert_snapshot!(transcript.done());
}

#[test]
fn filing_and_searching_references() {
    let env = TestEnv::new();
    let docs = env.work().join("docs");
    std::fs::create_dir_all(docs.join("api")).unwrap();
    std::fs::write(
        docs.join("api/invoices.md"),
        "# Invoices\n\n## Numbers\nInvoices are numbered per year.\n\n## Dates\nAlways UTC.\n",
    )
    .unwrap();
    std::fs::write(docs.join("team.txt"), "Marta looks after the kilns.\n").unwrap();
    std::fs::write(docs.join("broken.md"), b"\xff\xfe").unwrap();
    let mut transcript = Transcript::new(&env);
    transcript
        .run(&["reference"])
        .run(&["reference", "add", "docs"])
        .run(&["reference", "list"])
        .run(&["reference", "list", "-n", "1"])
        .run(&["reference", "search", "how", "are", "invoices", "numbered", "-n", "1"])
        .run(&["recall", "invoices"])
        .run(&["reference", "remove", "docs/team.txt"])
        .run(&["reference", "remove", "docs/team.txt"])
        .run(&["reference", "add", "nowhere"]);
    insta::assert_snapshot!(transcript.done());
}

#[test]
fn backing_up_and_restoring() {
    let env = TestEnv::new();
    std::fs::write(
        env.work().join("junk.db"),
        "not a database at all, but long enough to look like one",
    )
    .unwrap();
    let mut transcript = Transcript::new(&env);
    transcript
        .run(&["remember", DECISION])
        .run(&["backup", "copy.db"])
        .run(&["backup", "copy.db"])
        .run(&["remember", "This came after the backup."])
        .run(&["restore", "copy.db"])
        .run(&["restore", "copy.db", "--force"])
        .run(&["recall", "after", "the", "backup", "--json"])
        .run(&["restore", "junk.db", "--force"])
        .run(&["restore", "copy.db", "--owner", "elsewhere"])
        .run(&["backup"]);
    insta::assert_snapshot!(transcript.done());
}

#[test]
fn what_was_replaced_by_a_restore_can_itself_be_restored() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    env.quipu(&["backup", "copy.db"]).success();
    env.quipu(&["remember", "This came after the backup."]).success();
    let kept = env.json(&["restore", "copy.db", "--force"])["kept"].as_str().unwrap().to_owned();
    assert_eq!(env.json(&["status"])["memories"]["active"], 1);
    env.quipu(&["restore", &kept, "--force"]).success();
    assert_eq!(env.json(&["status"])["memories"]["active"], 2);
}

#[test]
fn the_demo_tells_its_story_and_leaves_nothing_behind() {
    let env = TestEnv::new();
    let text = env.quipu(&["demo"]).success();
    insta::assert_snapshot!(normalize_output(&env, &text));
    let left: Vec<_> =
        std::fs::read_dir(env.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["work"], "the demo leaves nothing in the home or temporary directory");
}

#[test]
fn forgetting_again_says_that_nothing_was_left() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    assert!(env.quipu(&["forget", "--yes", "1"]).success().contains("Erased permanently: 1."));
    assert!(env.quipu(&["forget", "--yes", "1"]).success().contains("Erased before: 1."));
}

#[test]
fn the_doctor_reports_problems_and_fixes_them() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    let report = env.json(&["doctor"]);
    let names: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|check| check["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "home",
            "secrets",
            "disk",
            "control",
            "log",
            "leftovers",
            "path",
            "embedder",
            "clock",
            "store",
            "audit",
            "traces",
            "vectors",
            "size",
            "snapshot",
            "clients"
        ]
    );
    let state = |report: &Value, name: &str| {
        let check = report["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["name"] == name)
            .unwrap();
        check["state"].as_str().unwrap().to_owned()
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(env.home(), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(state(&env.json(&["doctor"]), "home"), "warn");
        assert_eq!(state(&env.json(&["doctor", "--fix"]), "home"), "ok");
        assert_eq!(state(&env.json(&["doctor"]), "home"), "ok");
    }
    assert_eq!(state(&report, "store"), "ok");
}

#[test]
fn a_damaged_memory_is_found_by_the_doctor_and_replaced_by_a_backup() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    env.quipu(&["backup", "copy.db"]).success();
    std::fs::write(env.home().join("owners/me/memory.db"), "not a database at all").unwrap();
    let run = env.quipu(&["doctor"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("FAIL  store") && run.stdout.contains("restore"), "{}", run.stdout);
    assert_eq!(
        env.quipu(&["recall", "billing"]).code,
        Some(1),
        "a damaged memory must not be treated as an empty one"
    );
    let kept = env.json(&["restore", "copy.db", "--force"])["kept"].as_str().unwrap().to_owned();
    let damaged = std::fs::read_to_string(std::path::Path::new(&kept).join("memory.db")).unwrap();
    assert_eq!(damaged, "not a database at all", "the damaged file is kept unchanged");
    assert!(env.quipu(&["recall", "billing"]).success().contains("PostgreSQL"));
    assert_eq!(env.quipu(&["doctor"]).code, Some(0));
}

#[test]
fn a_damaged_control_database_is_recreated_and_the_memory_found_again() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    std::fs::write(env.home().join("control.db"), "not a database at all").unwrap();
    assert_eq!(env.quipu(&["doctor"]).code, Some(1));
    env.quipu(&["doctor", "--fix"]).success();
    assert!(env.home().join("control.damaged").exists());
    assert!(env.quipu(&["recall", "billing"]).success().contains("PostgreSQL"));
}

#[test]
fn each_line_becomes_a_memory_and_its_id_is_printed() {
    let env = TestEnv::new();
    let lines = "The first thing is red.\n\nThe second thing is blue.\r\nThe first thing is red.\n";
    let run = env.quipu_with_input(&["remember", "--each-line", "--tag", "colours"], lines);
    assert_eq!(run.stdout, "1\tcreated\n2\tcreated\n1\tduplicate\n", "{}", run.stderr);
    let secret = "Fine.\nThe key is AKIAQ3EGRNBHFY7ZWUXK.\nFine too.\n";
    let run = env.quipu_with_input(&["remember", "--each-line"], secret);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(4), 2), "{}", run.stdout);
    assert!(run.stderr.contains("line 2"), "{}", run.stderr);
    let all = env.quipu_with_input(&["remember", "--each-line", "--json"], "Last.\n").success();
    assert_eq!(serde_json::from_str::<Value>(&all).unwrap()["happened"], "created");
}

#[test]
fn the_project_is_the_checkout_that_the_command_runs_in() {
    let env = TestEnv::new();
    let checkout = env.work().join("billing/src");
    std::fs::create_dir_all(&checkout).unwrap();
    std::fs::create_dir(env.work().join("billing/.git")).unwrap();
    std::fs::write(env.work().join("billing/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let run = |arguments: &[&str]| {
        crate::test_env::run_to_end(env.command(arguments).current_dir(&checkout), "").success()
    };
    run(&["remember", "Invoices have no gaps."]);
    run(&["remember", "I like short answers.", "--everywhere"]);
    let found = env.json(&["recall", "--project", "billing", "--since", "2000-01-01"]);
    assert_eq!(found["memories"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["memories"][0]["text"], "Invoices have no gaps.");
}

#[test]
fn completions_need_no_home_directory() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = crate::test_env::run_to_end(env.command(&["completions", shell]).env_clear(), "");
        assert!(run.success().contains("quipu"), "{shell}");
    }
    assert!(!env.home().exists());
}

#[test]
fn a_lost_memory_is_no_fresh_start_and_the_command_that_restores_it_is_named() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    env.quipu(&["backup"]).success();
    let (memory, control) = (env.home().join("owners/me/memory.db"), env.home().join("control.db"));
    std::fs::write(&memory, "").unwrap();
    let run = env.quipu(&["recall", "billing"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("memory.db is empty"), "{}", run.stderr);
    let report = env.quipu(&["doctor"]);
    assert_eq!(report.code, Some(1), "{}", report.stdout);
    let named = run.stderr.split_once("quipu restore --force \"").unwrap().1;
    let backup = named.split_once('"').unwrap().0;
    env.quipu(&["restore", "--force", backup]).success();
    assert!(env.quipu(&["recall", "billing"]).success().contains("PostgreSQL"));
    std::fs::write(&control, "").unwrap();
    assert_eq!(env.quipu(&["status"]).code, Some(1));
    assert_eq!(env.quipu(&["doctor"]).code, Some(1));
    env.quipu(&["doctor", "--fix"]).success();
    assert!(env.quipu(&["recall", "billing"]).success().contains("PostgreSQL"));
}
