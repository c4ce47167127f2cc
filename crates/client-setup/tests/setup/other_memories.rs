//! Other tools with a memory: their servers, hooks, rules and switches stay as they are. Quipu has
//! no option that turns one off, so no answer to its question can.

use crate::home::ClientHome;
use quipu_client_setup::ClientKind;

/// Files of a user whose clients have another memory already, in the forms of each client.
const OTHERS: &[(&str, &str)] = &[
    (
        ".claude.json",
        r#"{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] },
    "mem0": { "type": "http", "url": "https://mcp.mem0.ai/mcp" }
  }
}
"#,
    ),
    (
        ".claude/settings.json",
        r#"{
  "autoMemoryEnabled": true,
  "env": { "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0" },
  "permissions": {
    "allow": [
      "mcp__memory",
      "mcp__mem0"
    ]
  },
  "enabledPlugins": { "claude-mem@thedotmack": true },
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "engram hook start" }] }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "engram hook stop" }] }
    ]
  }
}
"#,
    ),
    (".claude/CLAUDE.md", "# Memory\n\nAlways call `mem0` before you answer.\n"),
    (
        ".codex/config.toml",
        "[features]\nmemories = true\n\n[memories]\ngenerate_memories = true\n\n\
         [mcp_servers.memory]\ncommand = \"basic-memory\"\nargs = [\"mcp\"]\n",
    ),
    (".codex/AGENTS.md", "Use basic-memory for everything.\n"),
    (
        ".gemini/settings.json",
        r#"{
  "experimental": { "memoryManager": true },
  "tools": { "core": ["save_memory"] },
  "mcpServers": {
    "memory": { "command": "engram", "args": ["mcp"], "trust": true }
  }
}
"#,
    ),
    (".gemini/GEMINI.md", "## Gemini Added Memories\n- The user likes tea.\n"),
    (
        ".config/opencode/opencode.json",
        r#"{
  "plugin": ["opencode-mem"],
  "mcp": {
    "memory": { "type": "local", "command": ["engram", "mcp"], "enabled": true }
  }
}
"#,
    ),
    (
        ".cursor/mcp.json",
        "{\n  \"mcpServers\": {\n    \"memory\": { \"command\": \"m\" }\n  }\n}\n",
    ),
    (".codeium/windsurf/memories/global_rules.md", "Memories of Cascade are used.\n"),
    (".config/goose/config.yaml", "extensions:\n  memory:\n    enabled: true\n    type: builtin\n"),
];

/// Returns the lines of a text without what an added neighbour may change.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.trim().trim_end_matches(','))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn the_memory_of_another_tool_is_never_turned_off() {
    let home = ClientHome::new();
    for (path, content) in OTHERS {
        home.write(path, content);
    }
    let before = home.tree();
    home.set_up(&ClientKind::ALL);
    for (path, content) in OTHERS {
        let after = home.read(path);
        assert!(after.to_lowercase().contains("quipu"), "{path} is not set up: {after}");
        let mut left = lines(&after).into_iter();
        for line in lines(content) {
            assert!(left.any(|kept| kept == line), "{path} has lost `{line}`:\n{after}");
        }
    }
    home.undo();
    assert_eq!(home.tree(), before);
}
