//! `quipu setup` as a user runs it: it shows, asks, writes, and undoes.

use crate::test_env::TestEnv;

fn config(env: &TestEnv) -> std::path::PathBuf {
    env.root().join(".codex/config.toml")
}

/// Returns a home in which Codex has been used.
fn with_codex() -> TestEnv {
    let env = TestEnv::new();
    std::fs::create_dir(env.root().join(".codex")).unwrap();
    std::fs::write(config(&env), "model = \"x\" # mine\n").unwrap();
    env
}

#[test]
fn without_a_terminal_nothing_is_changed_until_it_is_confirmed() {
    let env = with_codex();
    let refused = env.quipu(&["setup"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(refused.stderr.contains("--dry-run") && refused.stderr.contains("--yes"));
    let shown = env.quipu(&["setup", "--dry-run"]).success();
    assert!(shown.contains("+[mcp_servers.quipu]"), "{shown}");
    assert!(shown.contains(" model = \"x\" # mine"), "{shown}");
    assert_eq!(std::fs::read_to_string(config(&env)).unwrap(), "model = \"x\" # mine\n");
}

#[test]
fn a_setup_names_the_absolute_binary_and_home_and_is_undone_whole() {
    let env = with_codex();
    let done = env.quipu(&["setup", "--yes"]).success();
    assert!(done.contains("Changed") && done.contains("/hooks"), "{done}");
    let written = std::fs::read_to_string(config(&env)).unwrap();
    assert!(written.contains(env!("CARGO_BIN_EXE_quipu")), "{written}");
    assert!(written.contains(&format!("QUIPU_HOME = \"{}\"", env.home().display())), "{written}");
    assert!(env.quipu(&["setup", "--yes"]).success().contains("set up already"));
    let doctor = env.quipu(&["doctor"]).success();
    assert!(doctor.contains("Codex set up with hooks"), "{doctor}");
    let undone = env.quipu(&["setup", "--undo", "--yes"]).success();
    assert!(undone.contains("Restored"), "{undone}");
    assert_eq!(std::fs::read_to_string(config(&env)).unwrap(), "model = \"x\" # mine\n");
    let left: Vec<_> = std::fs::read_dir(env.root().join(".codex")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(env.quipu(&["setup", "--undo", "--yes"]).success().contains("could be undone"));
}

#[test]
fn a_broken_file_fails_the_command_and_says_which() {
    let env = with_codex();
    std::fs::write(config(&env), "model = [").unwrap();
    let failed = env.quipu(&["setup", "--yes"]);
    assert_eq!(failed.code, Some(1), "{}", failed.stdout);
    assert!(failed.stdout.contains("config.toml was left as it is"), "{}", failed.stdout);
    assert_eq!(std::fs::read_to_string(config(&env)).unwrap(), "model = [");
}

#[test]
fn without_any_client_the_names_are_asked_for() {
    let env = TestEnv::new();
    let none = env.quipu(&["setup"]);
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    assert!(none.stderr.contains("quipu setup claude-code"), "{}", none.stderr);
    let unknown = env.quipu(&["setup", "emacs"]);
    assert!(unknown.stderr.contains("claude-desktop"), "{}", unknown.stderr);
}

#[test]
fn a_confirmed_setup_leaves_the_memory_of_another_tool_on() {
    let env = with_codex();
    let others = "[features]\nmemories = true\n\n[mcp_servers.memory]\ncommand = \"mem\"\n";
    std::fs::write(config(&env), others).unwrap();
    let done = env.quipu(&["setup", "--yes"]).success();
    let written = std::fs::read_to_string(config(&env)).unwrap();
    assert!(written.starts_with(others), "{written}");
    assert!(written.contains("[mcp_servers.quipu]"), "{written}");
    assert!(!done.contains("-memories") && !done.contains("-command"), "{done}");
    env.quipu(&["setup", "--undo", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(config(&env)).unwrap(), others);
}
