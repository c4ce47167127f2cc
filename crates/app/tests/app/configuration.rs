//! Home directory, configuration and exit codes.

use crate::test_env::TestEnv;
use serde_json::{Value, json};

#[test]
fn the_home_directory_is_created_on_first_use_and_is_private() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The kettle is in the blue cupboard."]).success();
    for file in ["control.db", "owners/me/memory.db"] {
        assert!(env.home().join(file).is_file(), "{file}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |file: &str| env.home().join(file).metadata().unwrap().permissions().mode() & 0o077;
        for file in ["", "control.db", "owners/me", "owners/me/memory.db"] {
            assert_eq!(mode(file), 0, "{file}");
        }
    }
}

#[test]
fn an_unknown_configuration_key_is_named_and_exits_with_2() {
    let env = TestEnv::new();
    std::fs::create_dir(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), "lissen = \"127.0.0.1:1\"\n").unwrap();
    let run = env.quipu(&["status"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("lissen") && run.stderr.contains("listen"), "{}", run.stderr);
}

#[test]
fn flags_win_over_the_environment_and_the_environment_over_the_file() {
    let env = TestEnv::new();
    std::fs::create_dir(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), "owner = \"ada\"\n").unwrap();
    assert_eq!(env.json(&["status"])["owner"], "ada");
    let run = |arguments: &[&str]| {
        let run = crate::test_env::run_to_end(env.command(arguments).env("QUIPU_OWNER", "bo"), "");
        serde_json::from_str::<Value>(&run.success()).unwrap()["owner"].clone()
    };
    assert_eq!(run(&["status", "--json"]), "bo");
    assert_eq!(run(&["status", "--json", "--owner", "cy"]), "cy");
}

#[test]
fn owners_do_not_see_each_other() {
    let env = TestEnv::new();
    env.quipu(&["remember", "Ada likes tea.", "--owner", "ada"]).success();
    assert_eq!(env.json(&["recall", "tea", "--owner", "bo"])["memories"], json!([]));
    assert_eq!(
        env.json(&["recall", "tea", "--owner", "ada"])["memories"][0]["text"],
        "Ada likes tea."
    );
}

#[test]
fn exit_codes_mean_what_the_help_says() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The door code changes in May."]).success();
    let check = |arguments: &[&str], code: i32| {
        let run = env.quipu(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.lines().count() >= 2, "expected a message and a hint: {}", run.stderr);
    };
    check(&["recal", "door"], 2);
    check(&["recall", "--since", "soonish"], 2);
    check(&["remember", "--data", "{}"], 2);
    check(&["show", "99"], 3);
    check(&["correct", "99", "Nothing."], 3);
    check(&["handoff", "claim", "99"], 3);
    check(&["restore", "missing.db"], 3);
    check(&["forget", "1"], 4);
    check(&["remember", "The deploy key is AKIAQ3EGRNBHFY7ZWUXK, do not lose it."], 4);
    check(&["backup", env.home().join("control.db").to_str().unwrap()], 4);
    std::fs::write(env.root().join("file"), "").unwrap();
    check(&["status", "--home", env.root().join("file").to_str().unwrap()], 1);
}

#[test]
fn failures_are_json_with_the_json_option() {
    let env = TestEnv::new();
    let run = env.quipu(&["show", "99", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    assert_eq!(error["error"]["retryable"], false);
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    use std::process::Stdio;
    let env = TestEnv::new();
    for number in 0..3 {
        env.quipu(&["remember", &format!("Box {number} holds the glazes of year {number}.")])
            .success();
    }
    let mut child = env
        .command(&["recall", "glazes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
        (Some(0), "")
    );
}
