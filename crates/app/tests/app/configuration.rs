//! Home directory, configuration and exit codes.

use crate::place::Place;
use serde_json::{Value, json};

#[test]
fn the_home_is_made_on_first_use_and_is_its_owners_alone() {
    let env = Place::new();
    env.quipu(&["remember", "The kettle is in the blue cupboard."]).done();
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
fn an_unknown_key_of_the_configuration_ends_with_its_name_and_exit_code_2() {
    let env = Place::new();
    std::fs::create_dir(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), "lissen = \"127.0.0.1:1\"\n").unwrap();
    let run = env.quipu(&["status"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("lissen") && run.stderr.contains("listen"), "{}", run.stderr);
}

#[test]
fn flags_win_over_the_environment_and_the_environment_over_the_file() {
    let env = Place::new();
    std::fs::create_dir(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), "owner = \"ada\"\n").unwrap();
    assert_eq!(env.json(&["status"])["owner"], "ada");
    let run = |arguments: &[&str]| {
        let run = crate::place::finished(env.command(arguments).env("QUIPU_OWNER", "bo"), "");
        serde_json::from_str::<Value>(&run.done()).unwrap()["owner"].clone()
    };
    assert_eq!(run(&["status", "--json"]), "bo");
    assert_eq!(run(&["status", "--json", "--owner", "cy"]), "cy");
}

#[test]
fn owners_do_not_see_each_other() {
    let env = Place::new();
    env.quipu(&["remember", "Ada likes tea.", "--owner", "ada"]).done();
    assert_eq!(env.json(&["recall", "tea", "--owner", "bo"])["memories"], json!([]));
    assert_eq!(
        env.json(&["recall", "tea", "--owner", "ada"])["memories"][0]["text"],
        "Ada likes tea."
    );
}

#[test]
fn exit_codes_mean_what_the_help_says() {
    let env = Place::new();
    env.quipu(&["remember", "The door code changes in May."]).done();
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
fn a_failure_is_json_too_when_json_is_wanted() {
    let env = Place::new();
    let run = env.quipu(&["show", "99", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    assert_eq!(error["error"]["retryable"], false);
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    use std::process::Stdio;
    let env = Place::new();
    for number in 0..3 {
        env.quipu(&["remember", &format!("Box {number} holds the glazes of year {number}.")])
            .done();
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
