//! Behaviour at a terminal: prompts and colours, which a pipe gets neither of.
#![cfg(unix)]

use crate::test_env::TestEnv;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// A user at a pseudo-terminal, who waits for prompts and types answers.
struct TerminalUser {
    child: Child,
    terminal: File,
    seen: String,
}

impl TerminalUser {
    fn start(command: &mut Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let other_end = || File::options().read(true).write(true).open(&name).unwrap();
        command.stdin(other_end()).stdout(other_end()).stderr(other_end()).env("TERM", "xterm");
        let child = command.spawn().unwrap();
        // Reading ends only once this process holds no copy of the other end.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { child, terminal: master.into(), seen: String::new() }
    }

    /// Reads until the text appears.
    fn wait_for(&mut self, text: &str) -> &mut Self {
        while !self.seen.contains(text) {
            assert!(self.read(), "never saw `{text}` in {}", self.seen);
        }
        self
    }

    fn type_line(&mut self, line: &str) -> &mut Self {
        writeln!(self.terminal, "{line}").unwrap();
        self
    }

    /// Reads to the end, and returns the output and the exit code.
    fn finish(mut self) -> (String, Option<i32>) {
        let code = self.child.wait().unwrap().code();
        while self.read() {}
        (self.seen, code)
    }

    /// Reads some output; false at the end. A terminal whose other end is closed returns an error
    /// where a pipe would return the end of the file.
    fn read(&mut self) -> bool {
        let mut some = [0; 4096];
        let count = self.terminal.read(&mut some).unwrap_or(0);
        self.seen.push_str(&String::from_utf8_lossy(&some[..count]));
        count > 0
    }
}

fn with_two_memories() -> TestEnv {
    let env = TestEnv::new();
    env.quipu(&["remember", "The old address was Rua das Flores 4."]).success();
    env.quipu(&["remember", "The old address had a green door."]).success();
    env
}

fn active(env: &TestEnv) -> u64 {
    env.json(&["status"])["memories"]["active"].as_u64().unwrap()
}

#[test]
fn nothing_is_erased_before_confirmation() {
    let env = with_two_memories();
    let forget = || env.command(&["forget", "1"]);
    let mut person = TerminalUser::start(&mut forget());
    person.wait_for("[y/N]").type_line("no");
    assert_eq!((person.finish().1, active(&env)), (Some(4), 2));
    let mut person = TerminalUser::start(&mut forget());
    person.wait_for("[y/N]").type_line("y");
    let (seen, code) = person.finish();
    assert!(seen.contains("Erased permanently: 1"), "{seen}");
    assert_eq!((code, active(&env)), (Some(0), 1));
}

#[test]
fn after_a_search_each_id_to_erase_must_be_typed() {
    let env = with_two_memories();
    let search = || env.command(&["forget", "--query", "old address"]);
    for (typed, code, left) in
        [("99", Some(2), 2), ("y", Some(2), 2), ("", Some(4), 2), ("2", Some(0), 1)]
    {
        let mut person = TerminalUser::start(&mut search());
        person.wait_for("keep all):").type_line(typed);
        assert_eq!((person.finish().1, active(&env)), (code, left), "{typed}");
    }
}

#[test]
fn a_terminal_is_shown_the_token_and_a_link_and_a_pipe_is_not() {
    let env = TestEnv::new();
    let serve = || env.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut person = TerminalUser::start(&mut serve());
    person.wait_for("need no server");
    let token = std::fs::read_to_string(env.home().join("token")).unwrap();
    assert!(person.seen.contains(token.trim()) && person.seen.contains("/login?link="));
    person.child.kill().unwrap();
    let mut piped = serve().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    let mut said = std::io::BufReader::new(piped.stdout.take().unwrap());
    while !text.contains("need no server") {
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut text).unwrap(), 0, "{text}");
    }
    piped.kill().unwrap();
    piped.wait().unwrap();
    assert!(!text.contains(token.trim()) && !text.contains("link="), "{text}");
    assert!(text.contains(env.home().join("token").to_str().unwrap()), "{text}");
}

#[test]
fn a_server_warns_about_files_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.quipu(&["remember", "something"]).success();
    let owner = env.home().join("owners/me");
    std::fs::set_permissions(&owner, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut served = env
        .command(&["serve", "--listen", "127.0.0.1:0", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = std::io::BufReader::new(served.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    served.kill().unwrap();
    let log = served.wait_with_output().unwrap().stderr;
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains("other users can access") && log.contains("owners/me"), "{log}");
}

#[test]
fn colours_are_used_on_terminals_unless_disabled() {
    let env = with_two_memories();
    let coloured =
        |command: &mut Command| TerminalUser::start(command).finish().0.contains("\u{1b}[1m");
    assert!(coloured(&mut env.command(&["recall", "address"])));
    assert!(!coloured(env.command(&["recall", "address"]).env("NO_COLOR", "1")));
    assert!(!env.quipu(&["recall", "address"]).success().contains('\u{1b}'));
}

#[test]
fn remember_without_text_does_not_wait_at_a_terminal() {
    let env = TestEnv::new();
    let (seen, code) = TerminalUser::start(&mut env.command(&["remember"])).finish();
    assert!(seen.contains("there is nothing to remember"), "{seen}");
    assert_eq!(code, Some(2));
}

#[test]
fn mcp_at_a_terminal_says_what_it_is_for_and_ends() {
    let env = TestEnv::new();
    let (seen, code) = TerminalUser::start(&mut env.command(&["mcp"])).finish();
    assert!(
        seen.contains("started by an agent's program") && seen.contains("quipu setup"),
        "{seen}"
    );
    assert_eq!(code, Some(2));
}

#[test]
fn errors_are_coloured_at_a_terminal_unless_disabled() {
    let env = TestEnv::new();
    let seen = |command: &mut Command| TerminalUser::start(command).finish().0;
    assert!(seen(&mut env.command(&["show", "9"])).contains("\u{1b}[31mquipu:"));
    assert!(!seen(env.command(&["show", "9"]).env("NO_COLOR", "1")).contains('\u{1b}'));
}

#[test]
fn a_server_opens_no_browser_without_a_display_or_over_ssh() {
    let env = TestEnv::new();
    let tools = env.root().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let (opener, opened) = (tools.join("xdg-open"), env.root().join("opened"));
    std::fs::write(
        &opener,
        format!("#!/bin/sh\n/bin/cat \"$1\" > {0}.new\n/bin/mv {0}.new {0}\n", opened.display()),
    )
    .unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let serve = |set: &[(&str, &str)], options: &[&str]| {
        let mut command = env.command(&[&["serve", "--listen", "127.0.0.1:0"], options].concat());
        command.env("PATH", &tools).envs(set.iter().copied());
        let mut person = TerminalUser::start(&mut command);
        person.wait_for("agents with OAuth");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(3);
        while !opened.exists() && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let page = std::fs::read_to_string(&opened).ok();
        let _ = std::fs::remove_file(&opened);
        person.child.kill().unwrap();
        page
    };
    let display = ("DISPLAY", ":0");
    assert_eq!(serve(&[], &[]), None);
    assert_eq!(serve(&[display, ("SSH_CONNECTION", "10.0.0.1")], &[]), None);
    assert_eq!(serve(&[display], &["--no-open"]), None);
    let page = serve(&[display], &[]).unwrap();
    assert!(page.contains("/login?link="), "{page}");
}

#[test]
fn an_import_asks_once_about_all_forgotten_texts() {
    let env = with_two_memories();
    let file = env.work().join("memory.jsonl");
    let file = file.to_str().unwrap();
    env.quipu(&["export", file]).success();
    env.quipu(&["forget", "1", "2", "--yes"]).success();
    for (typed, left) in [("n", 0), ("y", 2)] {
        let mut person = TerminalUser::start(&mut env.command(&["import", file]));
        person.wait_for("2 texts were not imported").wait_for("[y/N]").type_line(typed);
        let (seen, code) = person.finish();
        assert_eq!((code, active(&env)), (Some(0), left), "{seen}");
        assert_eq!(seen.matches("[y/N]").count(), 1, "{seen}");
    }
}
