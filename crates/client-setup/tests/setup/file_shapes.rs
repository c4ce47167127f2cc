//! Files as they are in the wild: the rest of each stays byte for byte as it was.

use crate::home::ClientHome;
use quipu_client_setup::ClientKind;

const COMMENTS: &str = r#"// Settings of mine.
{
    /* four spaces, and a comment at the end */
    "theme": "dark", // yes
    "mcpServers": {
        "other": { "command": "other", "args": ["x"], },
    },
    "last": [1,2 , 3]   // odd spaces
}
"#;

/// Sets Gemini CLI up in a file, changes the file as its user might, and undoes the setup.
fn edit_since(settings: &str, change: impl Fn(&str) -> String) {
    let home = ClientHome::new();
    home.write(".gemini/settings.json", settings);
    home.set_up(&[ClientKind::Gemini]);
    let after = home.read(".gemini/settings.json");
    assert!(after.contains("/opt/quipu/bin/quipu"), "{after}");
    home.undo();
    assert_eq!(home.read(".gemini/settings.json"), settings, "unchanged since");
    home.set_up(&[ClientKind::Gemini]);
    home.write(".gemini/settings.json", change(&after));
    home.undo();
    assert_eq!(home.read(".gemini/settings.json"), change(settings), "changed since");
}

fn dark_to_light(text: &str) -> String {
    text.replace("dark", "light")
}

#[test]
fn comments_and_trailing_commas_stay() {
    edit_since(COMMENTS, dark_to_light);
}

#[test]
fn windows_line_ends_stay() {
    let windows = COMMENTS.replace('\n', "\r\n");
    edit_since(&windows, dark_to_light);
    let home = ClientHome::new();
    home.write(".gemini/settings.json", &windows);
    home.write(".codex/config.toml", "model = \"x\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n");
    home.write(".codex/AGENTS.md", "Be brief.\r\n");
    home.set_up(&[ClientKind::Gemini, ClientKind::Codex]);
    for name in [".gemini/settings.json", ".codex/config.toml", ".codex/AGENTS.md"] {
        let text = home.read(name);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{name}: {text:?}");
    }
}

#[test]
fn a_byte_order_mark_stays() {
    edit_since(&format!("\u{feff}{COMMENTS}"), dark_to_light);
}

#[test]
fn one_line_is_restored_if_nobody_else_changed_it() {
    for text in [r#"{"theme":"dark"}"#, "{\"theme\":\"dark\",\"mcpServers\":{}}\n"] {
        let home = ClientHome::new();
        home.write(".gemini/settings.json", text);
        home.set_up(&[ClientKind::Gemini]);
        let after = home.read(".gemini/settings.json");
        home.undo();
        assert_eq!(home.read(".gemini/settings.json"), text);
        home.set_up(&[ClientKind::Gemini]);
        home.write(".gemini/settings.json", dark_to_light(&after));
        home.undo();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&home.read(".gemini/settings.json")), value(&dark_to_light(text)));
    }
}

#[test]
fn tabs_and_files_without_a_line_end_stay() {
    for text in [
        "{\n\t\"theme\": \"dark\"\n}",
        "{\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"SessionStart\": []\n  }\n}\n",
    ] {
        edit_since(text, dark_to_light);
    }
}

#[test]
fn an_empty_file_and_an_empty_object_are_filled() {
    for text in ["", "\n", "{}", "{}\n", "{ }"] {
        let home = ClientHome::new();
        home.write(".cursor/mcp.json", text);
        home.set_up(&[ClientKind::Cursor]);
        assert!(home.read(".cursor/mcp.json").contains("/opt/quipu/bin/quipu"));
        home.undo();
        assert_eq!(home.read(".cursor/mcp.json"), text);
    }
}

#[test]
fn comments_and_order_of_toml_stay() {
    let config = "# Mine.\nmodel = \"x\" # best\n\n[mcp_servers.other]\ncommand = 'o'\n\n[tui]\n\
                  theme = \"dark\"\n";
    let home = ClientHome::new();
    home.write(".codex/config.toml", config);
    home.set_up(&[ClientKind::Codex]);
    let after = home.read(".codex/config.toml");
    for line in config.lines() {
        assert!(after.contains(line), "{line} in {after}");
    }
    assert!(after.contains("[mcp_servers.quipu]\ncommand = \"/opt/quipu/bin/quipu\"\n"), "{after}");
    assert!(after.contains("env = { QUIPU_HOME = \"/home/ada/.quipu\" }"), "{after}");
    home.write(".codex/config.toml", dark_to_light(&after));
    home.undo();
    assert_eq!(home.read(".codex/config.toml"), dark_to_light(config));
}

#[test]
fn other_extensions_and_comments_of_yaml_stay() {
    for config in [
        "GOOSE_MODEL: dark\n# mine\nextensions:\n  # first\n  developer:\n    enabled: true\n\n\
         other: 1\n",
        "GOOSE_MODEL: dark\n",
        "GOOSE_MODEL: dark\nextensions: {}\n",
        "extensions:\n    developer:\n        enabled: true\nGOOSE_MODEL: dark",
    ] {
        let home = ClientHome::new();
        home.write(".config/goose/config.yaml", config);
        home.set_up(&[ClientKind::Goose]);
        let after = home.read(".config/goose/config.yaml");
        assert!(after.contains("cmd: \"/opt/quipu/bin/quipu\""), "{after}");
        home.write(".config/goose/config.yaml", dark_to_light(&after));
        home.undo();
        assert_eq!(home.read(".config/goose/config.yaml"), dark_to_light(config));
    }
}

#[test]
fn instructions_are_a_section_of_their_own() {
    for text in ["Be brief.", "Be brief.\n", "# Rules\n\nBe brief.\n\n"] {
        let home = ClientHome::new();
        home.write(".claude/CLAUDE.md", text);
        home.set_up(&[ClientKind::ClaudeCode]);
        let after = home.read(".claude/CLAUDE.md");
        assert!(after.starts_with(text) && after.contains("Call `recall`"), "{after}");
        home.write(".claude/CLAUDE.md", format!("{after}One more rule.\n"));
        home.undo();
        assert_eq!(home.read(".claude/CLAUDE.md"), format!("{text}One more rule.\n"));
    }
}

#[test]
fn an_entry_of_the_user_is_extended_and_restored() {
    let settings = r#"{
  "mcpServers": {
    "quipu": { "command": "quipu", "args": ["mcp", "--dialect", "epitome"], "timeout": 7 }
  }
}
"#;
    let home = ClientHome::new();
    home.write(".gemini/settings.json", settings);
    home.set_up(&[ClientKind::Gemini]);
    let after = home.read(".gemini/settings.json");
    assert!(after.contains("\"timeout\": 7") && after.contains("/opt/quipu"), "{after}");
    home.write(".gemini/settings.json", after.replacen('{', "{\n  \"new\": 1,", 1));
    home.undo();
    let restored = home.read(".gemini/settings.json");
    let value: serde_json::Value = serde_json::from_str(&restored).unwrap();
    assert_eq!(value["mcpServers"]["quipu"]["command"], "quipu");
    assert_eq!(value["mcpServers"]["quipu"]["args"][2], "epitome");
    assert_eq!(value["new"], 1);
}
