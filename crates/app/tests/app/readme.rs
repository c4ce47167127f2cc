//! The commands and paths in the README, tried out.

use crate::test_env::{TestEnv, run_to_end};
use std::path::Path;
use std::process::Command;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

/// Returns a shell that has the binary on its path.
fn shell(env: &TestEnv, script: &str) -> Command {
    let mut command = env.command(&[]);
    let binary = Path::new(env!("CARGO_BIN_EXE_quipu")).parent().unwrap().to_owned();
    let paths = std::env::join_paths([binary, "/usr/bin".into(), "/bin".into()]).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).env_clear().env("PATH", paths).current_dir(env.work());
    shell.envs(
        command.env("COLUMNS", "80").get_envs().filter_map(|(name, value)| Some((name, value?))),
    );
    shell
}

/// Returns the lines of all code blocks that begin with `quipu`.
fn command_lines(text: &str) -> Vec<&str> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.flat_map(str::lines).filter(|line| line.starts_with("quipu ")).collect()
}

/// Returns the commands that the text mentions outside of code blocks.
fn mentioned_commands(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    let spans = outside.flat_map(|part| part.split('`').skip(1).step_by(2));
    spans
        .filter(|span| span.starts_with("quipu "))
        .filter_map(|span| span.split_whitespace().nth(1))
        .collect()
}

#[test]
fn the_readmes_session_works_as_it_is_written() {
    let (env, text) = (TestEnv::new(), readme());
    let lines = command_lines(&text);
    assert!(lines.len() >= 2, "the README shows a session: {lines:?}");
    let said = run_to_end(&mut shell(&env, &lines.join("\n")), "").success();
    assert!(said.contains("Remembered as 1."), "{said}");
    assert!(said.contains("because of row-level security"), "{said}");
}

#[test]
fn every_command_in_the_readme_exists() {
    let env = TestEnv::new();
    let text = readme();
    let names = mentioned_commands(&text);
    for expected in ["mcp", "serve", "demo", "backup", "forget"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    for name in names {
        env.quipu(&[name, "--help"]).success();
    }
}

#[test]
fn files_are_where_the_readme_says() {
    let (env, text) = (TestEnv::new(), readme());
    env.quipu(&["remember", "The README is right."]).success();
    for file in ["control.db", "owners/me/memory.db"] {
        assert!(text.contains(&format!("`{file}`")), "{file}");
        assert!(env.home().join(file).exists(), "{file}");
    }
    let usual = run_to_end(
        env.command(&["status", "--json"]).env_remove("QUIPU_HOME").env_remove("XDG_DATA_HOME"),
        "",
    );
    let usual: serde_json::Value = serde_json::from_str(&usual.success()).unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(usual["home"], env.root().join(".local/share/quipu").to_str().unwrap());
    }
    std::fs::remove_dir_all(env.home()).unwrap();
    assert_eq!(
        env.json(&["status"])["memories"]["active"],
        0,
        "deleting the directory erases everything"
    );
}
