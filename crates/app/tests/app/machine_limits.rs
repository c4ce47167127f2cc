//! Limits of the machine: each failure says what is in the way.

use crate::test_env::{TestEnv, run_to_end};
use std::process::Command;

/// Runs `quipu status` in a shell that first sets the maximum number of open files.
fn status_with_handles(env: &TestEnv, most: usize) -> crate::test_env::QuipuOutput {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {most}; exec \"$0\" status")]);
    command.arg(env!("CARGO_BIN_EXE_quipu")).env_clear().current_dir(env.work());
    command.env("HOME", env.root()).env("QUIPU_HOME", env.home());
    run_to_end(&mut command, "")
}

#[test]
fn too_few_file_handles_are_named_and_break_nothing() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The glaze is called celadon."]).success();
    let mut refused = 0;
    for most in (8..=32).step_by(2) {
        let run = status_with_handles(&env, most);
        if run.code != Some(0) {
            let named =
                ["open files", "files are open"].iter().any(|words| run.stderr.contains(words));
            assert!(named, "{most}: {}", run.stderr);
            refused += 1;
        }
    }
    assert!(refused > 0, "some of these are too few");
    assert!(env.quipu(&["recall", "celadon"]).success().contains("celadon"));
}

#[test]
fn a_home_directory_with_a_path_that_is_too_long_is_refused_in_words() {
    let env = TestEnv::new();
    let home = env.root().join("d".repeat(200)).join("e".repeat(200));
    let run = env.quipu(&["status", "--home", home.to_str().unwrap()]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("choose a shorter one"), "{}", run.stderr);
}
