//! The completion scripts in the shells that they are for. A shell that is not installed is skipped
//! with a message; `cargo xtask tools` installs them.

use crate::test_env::{TestEnv, run_to_end};
use std::process::Command;

/// Lines with the word that the shell makes of the last one.
const COMPLETED: [(&str, &str); 6] = [
    ("quipu reca", "recall"),
    ("quipu recall --exp", "--explain"),
    ("quipu grants enf", "enforce"),
    ("quipu export --format va", "vault"),
    ("quipu completions el", "elvish"),
    ("quipu setup curs", "cursor"),
];

/// A line that ends with words of the owner, beside a file whose name begins like them.
const OWN_WORDS: (&str, &str) = ("quipu recall thes", "thesis.txt");

/// Prints what bash proposes for the line in `LINE`.
const BASH: &str = r#"
source "$SCRIPT"
COMP_WORDS=($LINE) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_quipu quipu "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}""#;

/// Prints what fish proposes for the line, without the descriptions.
const FISH: &str = r#"source "$SCRIPT"; complete -C "$LINE" | string replace -r '\t.*' ''; true"#;

/// Types the line into a zsh at a terminal, presses tab, and prints the last word then.
const ZSH: &str = r#"
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal 'fpath=(${SCRIPT:h} $fpath); autoload -Uz compinit; compinit -u -D'
zpty -w terminal 'show() { print -r -- "<line>$BUFFER</line>" }; zle -N show; bindkey "^X" show'
zpty -w terminal 'print -r -- "<rea""dy>"'
zpty -r terminal output '*<ready>*'
zpty -n -w terminal "$LINE"$'\t\x18'
zpty -r terminal output '*<line>*</line>*'
zpty -d terminal
line=${${output##*<line>}%%</line>*}
print -r -- "${${=line}[-1]}""#;

/// Returns what a shell makes of the last word of a line; `None` when there is no such shell.
fn completed(env: &TestEnv, shell: &str, program: &str, line: &str) -> Option<Vec<String>> {
    if Command::new(shell).arg("--version").output().is_err() {
        eprintln!("skipped: {shell} is not installed; `cargo xtask tools` installs it");
        return None;
    }
    let script = env.work().join("_quipu");
    std::fs::write(&script, env.quipu(&["completions", shell]).success()).unwrap();
    let mut run = Command::new("timeout");
    run.args(["60", shell, "-c", program]).current_dir(env.work());
    run.env("SCRIPT", script).env("LINE", line).env("HOME", env.root()).env("TERM", "xterm");
    let printed = run_to_end(&mut run, "").success();
    Some(printed.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn completes_commands_options_and_values(shell: &str, program: &str) {
    let env = TestEnv::new();
    for (line, word) in COMPLETED {
        let Some(proposed) = completed(&env, shell, program, line) else { return };
        assert_eq!(proposed, [word], "{shell}: {line}");
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    completes_commands_options_and_values("bash", BASH);
}

#[test]
fn fish_completes_commands_options_and_values() {
    completes_commands_options_and_values("fish", FISH);
}

#[test]
fn zsh_completes_commands_options_and_values() {
    completes_commands_options_and_values("zsh", ZSH);
}

#[test]
fn words_of_the_owner_are_not_completed_with_files() {
    let env = TestEnv::new();
    let (line, file) = OWN_WORDS;
    std::fs::write(env.work().join(file), "").unwrap();
    for (shell, program, expected) in [("fish", FISH, &[][..]), ("zsh", ZSH, &["thes"][..])] {
        let Some(proposed) = completed(&env, shell, program, line) else { continue };
        assert_eq!(proposed, expected, "{shell}");
    }
    let with_path = completed(&env, "fish", FISH, "quipu import thes");
    assert!(with_path.is_none_or(|proposed| proposed == [file]), "a path still is");
}
