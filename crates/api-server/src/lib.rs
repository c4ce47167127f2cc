//! MCP over stdio and Streamable HTTP, and the HTTP front end of everything Quipu serves.
//!
//! Serves any [`dialects::DialectApi`]: lists its tools, checks what a client sends against their
//! schemas, runs the call and encodes the result. Every protocol revision from 2024-11-05 to
//! 2026-07-28 is supported at once, and no state is kept between two requests. This crate does not
//! know what a memory is.

mod admission;
mod arguments;
mod call;
mod client_roots;
mod connections;
mod handler;
mod http;
mod identity;
mod incoming;
mod listing;
mod nearest;
mod reply;
mod request_params;
mod resources_and_prompts;
mod response_notes;
mod sent_environment;
mod served_dialect;
mod stdio;

pub use handler::UnknownDialect;
pub use http::{
    BadNetwork, BadPassword, BadPublicUrl, BadToken, BoundListener, BrowserSession,
    BrowserSessions, ClientAddress, DEFAULT_ADDRESS, DashboardHost, Endpoints, HttpConfig,
    HttpError, HttpServer, LoginError, LoginOutcome, MetricsServer, OwnerPassword, OwnerToken,
    PASSWORD_CHARS_MIN, PasswordStore, ProxyNetwork, PublicUrl, Readiness, bind,
};
pub use identity::{LocalClient, request_caller};
pub use nearest::nearest;
pub use reply::failure_json;
pub use served_dialect::{AnswerPreview, ServedDialect};
pub use stdio::{StdioError, serve_pipe, serve_stdio};
