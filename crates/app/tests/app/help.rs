//! Snapshots of the help of every command.

use crate::test_env::TestEnv;

/// Every command with its subcommands.
const COMMANDS: &[(&str, &[&str])] = &[
    ("remember", &[]),
    ("recall", &[]),
    ("list", &[]),
    ("show", &[]),
    ("correct", &[]),
    ("forget", &[]),
    ("verify", &[]),
    ("review", &["list", "resolve", "flag"]),
    ("tables", &[]),
    ("handoff", &["list", "store", "show", "claim", "release", "complete", "cancel", "reopen"]),
    ("session", &["list", "show", "start", "end"]),
    ("reference", &["list", "add", "search", "remove"]),
    ("setup", &[]),
    ("hook", &[]),
    ("capture", &[]),
    ("private", &[]),
    ("mcp", &[]),
    ("serve", &[]),
    ("service", &["install", "uninstall", "status"]),
    ("login", &[]),
    ("ready", &[]),
    ("owners", &["list", "create", "link", "unlink", "erase"]),
    ("keys", &["create", "list", "rotate", "revoke"]),
    ("grants", &["list", "set", "remove", "enforce"]),
    ("groups", &["list", "add", "remove"]),
    ("password", &["set"]),
    ("audit", &["list", "verify", "head", "restart", "keep"]),
    ("retire", &[]),
    ("status", &[]),
    ("doctor", &[]),
    ("import", &[]),
    ("export", &[]),
    ("backup", &[]),
    ("restore", &[]),
    ("migrate", &[]),
    ("move", &[]),
    ("demo", &[]),
    ("eval", &[]),
    ("completions", &[]),
    ("man", &[]),
];

#[test]
fn every_command_explains_itself() {
    let env = TestEnv::new();
    for (command, below) in COMMANDS {
        let mut text = env.quipu(&[command, "--help"]).success();
        for action in *below {
            text.push_str(&format!("\n———— quipu {command} {action}\n\n"));
            text.push_str(&env.quipu(&[command, action, "--help"]).success());
        }
        insta::assert_snapshot!(format!("help_{command}"), text);
    }
}

#[test]
fn the_top_level_help_lists_every_command() {
    let env = TestEnv::new();
    let text = env.quipu(&["--help"]).success();
    for (command, _) in COMMANDS {
        assert!(text.contains(&format!("\n  {command} ")), "{command} is not in {text}");
    }
    insta::assert_snapshot!("help", text);
}

#[test]
fn no_command_was_left_out_of_these_tests() {
    let env = TestEnv::new();
    let text = env.quipu(&["-h"]).success();
    let listed = text
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    // Continuation lines are indented further.
    let first_lines =
        listed.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = first_lines.filter_map(|line| line.split_whitespace().next()).collect();
    let known: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).chain(["help"]).collect();
    assert_eq!(names, known);
}
