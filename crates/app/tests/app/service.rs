//! `quipu service` in a temporary home, with a service manager that only writes down its calls.

use crate::test_env::{TestEnv, run_to_end};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn unit(env: &TestEnv) -> PathBuf {
    env.root().join(".config/systemd/user/quipu.service")
}

/// Runs the command with a `systemctl` that writes down its arguments.
fn service(env: &TestEnv, arguments: &[&str]) -> (Option<i32>, String) {
    let programs = env.root().join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let script = format!("#!/bin/sh\necho \"$@\" >> {}/calls\n", programs.display());
    std::fs::write(programs.join("systemctl"), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(programs.join("systemctl"), mode).unwrap();
    let mut command = env.command(&[&["service"], arguments].concat());
    let run = run_to_end(command.env("PATH", &programs), "");
    (run.code, format!("{}{}", run.stdout, run.stderr))
}

fn calls(env: &TestEnv) -> String {
    std::fs::read_to_string(env.root().join("programs/calls")).unwrap_or_default()
}

#[test]
#[cfg(target_os = "linux")]
fn a_service_is_installed_shown_and_removed() {
    let env = TestEnv::new();
    assert!(service(&env, &["status"]).1.contains("not installed"));
    let (code, text) = service(&env, &["install", "--listen", "127.0.0.1:8080"]);
    assert_eq!(code, Some(0), "{text}");
    let written = std::fs::read_to_string(unit(&env)).unwrap();
    assert!(written.contains(env!("CARGO_BIN_EXE_quipu")), "{written}");
    assert!(written.contains(&env.home().display().to_string()), "{written}");
    assert!(calls(&env).ends_with("--user start quipu.service\n"), "{}", calls(&env));
    assert!(service(&env, &["status"]).1.contains("installed and runs"));
    assert_eq!(service(&env, &["uninstall"]).0, Some(0));
    assert!(!unit(&env).exists());
    assert!(calls(&env).contains("--user disable --now quipu.service"), "{}", calls(&env));
    assert!(service(&env, &["uninstall"]).1.contains("not installed"));
}

#[test]
#[cfg(target_os = "linux")]
fn only_writing_the_file_starts_nothing() {
    let env = TestEnv::new();
    let (code, text) = service(&env, &["install", "--no-start"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("systemctl --user start quipu.service"), "{text}");
    assert_eq!(calls(&env), "");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_of_somebody_else_is_left_alone() {
    let env = TestEnv::new();
    std::fs::create_dir_all(unit(&env).parent().unwrap()).unwrap();
    std::fs::write(unit(&env), "[Service]\nExecStart=/bin/true\n").unwrap();
    for action in ["install", "uninstall"] {
        let (code, text) = service(&env, &[action]);
        assert_eq!(code, Some(4), "{text}");
    }
    assert!(std::fs::read_to_string(unit(&env)).unwrap().contains("/bin/true"));
}

#[test]
#[cfg(target_os = "linux")]
fn systemd_accepts_the_unit() {
    let env = TestEnv::new();
    service(&env, &["install", "--no-start"]);
    let mut verify = std::process::Command::new("systemd-analyze");
    verify.args(["verify", "--user"]).arg(unit(&env)).env("XDG_RUNTIME_DIR", env.root());
    let Ok(output) = verify.output() else {
        eprintln!("systemd-analyze is not installed, so the unit is not verified");
        return;
    };
    let text = String::from_utf8_lossy(&output.stderr);
    // Other units of the machine may be wrong; only this one counts.
    let complaints = text.lines().filter(|line| line.contains("quipu.service"));
    assert_eq!(complaints.collect::<Vec<_>>(), Vec::<&str>::new());
}
