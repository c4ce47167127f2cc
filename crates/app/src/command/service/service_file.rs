//! The file of the background service: its place, its text, and the commands of the service manager
//! around it, for systemd and launchd.

use client_setup::{Places, Platform};
use std::path::PathBuf;

/// Name of the unit of systemd.
const UNIT: &str = "quipu.service";
/// Label of the agent of launchd.
const LABEL: &str = "io.github.quipu-memory.quipu";
/// Mark by which the file is recognised.
const MARK: &str = "Written by `quipu service install`";

/// What the service runs.
pub(super) struct ServiceSettings {
    /// Absolute path of the binary.
    pub binary: String,
    /// Absolute path of Quipu's home directory.
    pub home: String,
    pub listen: Option<String>,
}

/// A kind of service manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServiceManager {
    Systemd,
    Launchd,
}

/// The file of the service.
pub(super) struct ServiceFile {
    manager: ServiceManager,
    pub path: PathBuf,
}

impl ServiceFile {
    /// Returns the file for a platform; `None` if it has no service manager that is known.
    pub fn of_platform(places: &Places) -> Option<Self> {
        match places.platform {
            Platform::Linux => Some(Self {
                manager: ServiceManager::Systemd,
                path: places.config.join("systemd/user").join(UNIT),
            }),
            Platform::MacOs => Some(Self {
                manager: ServiceManager::Launchd,
                path: places.home.join(format!("Library/LaunchAgents/{LABEL}.plist")),
            }),
            Platform::Windows => None,
        }
    }

    /// Returns true if a text is one of these files.
    pub fn is_ours(text: &str) -> bool {
        text.contains(MARK)
    }

    /// Returns the text of the file.
    pub fn text(&self, settings: &ServiceSettings) -> String {
        match self.manager {
            ServiceManager::Systemd => unit_text(settings),
            ServiceManager::Launchd => agent_text(settings),
        }
    }

    /// Returns the commands that start the service, also after the file was replaced.
    pub fn start_commands(&self, was_there: bool) -> Vec<Vec<String>> {
        match self.manager {
            ServiceManager::Systemd => {
                let start = if was_there { "restart" } else { "start" };
                vec![
                    words(&["systemctl", "--user", "daemon-reload"]),
                    words(&["systemctl", "--user", "enable", UNIT]),
                    words(&["systemctl", "--user", start, UNIT]),
                ]
            }
            ServiceManager::Launchd => {
                let path = self.path.display().to_string();
                let load = words(&["launchctl", "load", "-w", &path]);
                let unload = words(&["launchctl", "unload", &path]);
                if was_there { vec![unload, load] } else { vec![load] }
            }
        }
    }

    /// Returns the commands that stop the service, while its file is still there.
    pub fn stop_commands(&self) -> Vec<Vec<String>> {
        match self.manager {
            ServiceManager::Systemd => {
                vec![words(&["systemctl", "--user", "disable", "--now", UNIT])]
            }
            ServiceManager::Launchd => {
                vec![words(&["launchctl", "unload", "-w", &self.path.display().to_string()])]
            }
        }
    }

    /// Returns the commands after the file was removed.
    pub fn forget_commands(&self) -> Vec<Vec<String>> {
        match self.manager {
            ServiceManager::Systemd => vec![words(&["systemctl", "--user", "daemon-reload"])],
            ServiceManager::Launchd => Vec::new(),
        }
    }

    /// Returns the command that succeeds while the service runs.
    pub fn probe_command(&self) -> Vec<String> {
        match self.manager {
            ServiceManager::Systemd => words(&["systemctl", "--user", "is-active", UNIT]),
            ServiceManager::Launchd => words(&["launchctl", "list", LABEL]),
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the command line of the service.
fn arguments(settings: &ServiceSettings) -> Vec<&str> {
    let mut words = vec![settings.binary.as_str(), "serve", "--home", settings.home.as_str()];
    words.extend(settings.listen.iter().flat_map(|address| ["--listen", address.as_str()]));
    words
}

fn unit_text(settings: &ServiceSettings) -> String {
    let command: Vec<String> = arguments(settings).into_iter().map(unit_word).collect();
    format!(
        "# {MARK}; `quipu service uninstall` removes it.\n\
         [Unit]\n\
         Description=Quipu, a memory for AI agents\n\
         Documentation=https://github.com/quipu-memory/quipu\n\n\
         [Service]\n\
         ExecStart={}\n\
         Restart=on-failure\n\
         RestartSec=5\n\
         UMask=0077\n\
         NoNewPrivileges=yes\n\n\
         [Install]\n\
         WantedBy=default.target\n",
        command.join(" ")
    )
}

/// Quotes a word of a command line for systemd, which expands `%` and `$`.
fn unit_word(word: &str) -> String {
    let escape = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '%' | '$' => format!("{letter}{letter}"),
        other => other.to_string(),
    };
    let escaped: String = word.chars().map(escape).collect();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-:".contains(letter);
    if word.chars().all(plain) { escaped } else { format!("\"{escaped}\"") }
}

fn agent_text(settings: &ServiceSettings) -> String {
    let log = format!("{}/service.log", settings.home);
    let string = |word: &str| format!("    <string>{}</string>\n", xml(word));
    let command: String = arguments(settings).into_iter().map(string).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- {MARK}; `quipu service uninstall` removes it. -->\n\
         <plist version=\"1.0\">\n<dict>\n\
         \x20 <key>Label</key>\n  <string>{LABEL}</string>\n\
         \x20 <key>ProgramArguments</key>\n  <array>\n{command}  </array>\n\
         \x20 <key>RunAtLoad</key>\n  <true/>\n\
         \x20 <key>KeepAlive</key>\n\
         \x20 <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n\
         \x20 <key>Umask</key>\n  <integer>63</integer>\n\
         \x20 <key>StandardErrorPath</key>\n  <string>{}</string>\n\
         </dict>\n</plist>\n",
        xml(&log)
    )
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::path::Path;

    fn settings() -> ServiceSettings {
        ServiceSettings {
            binary: "/opt/my tools/quipu".into(),
            home: "/data/100%/a&b".into(),
            listen: Some("127.0.0.1:8080".into()),
        }
    }

    fn file(platform: Platform) -> Option<ServiceFile> {
        let variable = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        ServiceFile::of_platform(&Places::find(platform, Path::new("/p"), variable)?)
    }

    #[test]
    fn the_unit_quotes_paths_and_names_the_address() {
        let unit = file(Platform::Linux).unwrap();
        assert_eq!(unit.path, Path::new("/h/.config/systemd/user/quipu.service"));
        let text = unit.text(&settings());
        let command = "ExecStart=\"/opt/my tools/quipu\" serve --home \"/data/100%%/a&b\" \
                       --listen 127.0.0.1:8080\n";
        assert!(text.contains(command), "{text}");
        assert!(ServiceFile::is_ours(&text));
    }

    /// Lets Python read a property list, and returns its label.
    fn read_plist(text: &str) -> String {
        let script = "import plistlib, sys; print(plistlib.loads(sys.argv[1].encode())['Label'])";
        let mut python = std::process::Command::new("python3");
        let output = python.args(["-c", script, text]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn the_agent_of_launchd_escapes_xml() {
        let agent = file(Platform::MacOs).unwrap();
        assert!(agent.path.ends_with("LaunchAgents/io.github.quipu-memory.quipu.plist"));
        let text = agent.text(&settings());
        assert!(text.contains("<string>/data/100%/a&amp;b</string>"), "{text}");
        assert!(text.contains("<string>--listen</string>\n    <string>127.0.0.1:8080</string>"));
        assert!(ServiceFile::is_ours(&text));
        assert_eq!(read_plist(&text).trim(), "io.github.quipu-memory.quipu");
    }

    #[test]
    fn without_an_address_the_settings_decide() {
        let settings = ServiceSettings { listen: None, ..settings() };
        assert!(!file(Platform::Linux).unwrap().text(&settings).contains("--listen"));
        assert!(!file(Platform::MacOs).unwrap().text(&settings).contains("--listen"));
    }

    #[test]
    fn a_replaced_file_restarts_the_service() {
        let unit = file(Platform::Linux).unwrap();
        let last = |commands: Vec<Vec<String>>| commands.last().unwrap().join(" ");
        assert_eq!(last(unit.start_commands(true)), "systemctl --user restart quipu.service");
        assert_eq!(last(unit.start_commands(false)), "systemctl --user start quipu.service");
        assert_eq!(file(Platform::MacOs).unwrap().start_commands(true).len(), 2);
    }

    #[test]
    fn windows_has_no_service_that_is_known() {
        assert!(file(Platform::Windows).is_none());
    }
}
