//! End-to-end tests of the real binary, each in a home directory of its own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should fail"
)]

#[path = "../../../api-server/tests/clients/driver.rs"]
mod driver;
#[path = "../../../api-server/tests/clients/conformance.rs"]
mod suites;

#[cfg(unix)]
mod argument_forms;
#[cfg(unix)]
mod authorization_matrix;
mod capture;
#[cfg(unix)]
mod client_compatibility;
mod client_context;
mod command_line;
mod commands;
#[cfg(unix)]
mod completions;
mod concurrent_processes;
mod configuration;
mod crash;
mod dialects_crash;
mod doctor;
mod embedder;
mod erasure;
mod eval;
mod handoff_claims;
mod help;
mod hooks;
mod interchange;
#[cfg(feature = "local-models")]
mod local_model;
#[cfg(unix)]
mod machine_limits;
mod mcp;
mod mcp_faults;
mod normalize;
mod oauth;
mod official_clients;
#[cfg(unix)]
mod otlp_collector;
mod owner_browser;
mod quality;
mod readme;
mod restore_crash;
mod serve;
mod server_process;
mod service;
mod setup;
#[cfg(unix)]
mod shutdown;
mod soak;
#[cfg(unix)]
mod teams;
#[cfg(unix)]
mod teams_files;
mod teams_groups;
mod teams_login;
mod teams_operation;
mod teams_rates;
mod teams_restore;
#[cfg(unix)]
mod tenant_isolation;
mod terminal;
mod test_env;
mod tools_crash;
#[cfg(unix)]
mod traces;
mod unreadable_lines;
