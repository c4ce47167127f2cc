//! MCP over stdio and Streamable HTTP; the only room that knows HTTP and rmcp.
//!
//! It speaks any [`dialects::Dialect`], whatever its tools are: it lists them, checks what a client
//! sends against their schemas, calls, and answers. Every protocol revision from 2024-11-05 to
//! 2026-07-28 is served at once and nothing is kept between two requests. It does not know what a
//! memory is.

mod arguments;
mod beside;
mod call;
mod handler;
mod http;
mod identity;
mod lanes;
mod listing;
mod nearest;
mod reply;
mod stdio;
mod turnstile;
mod way_back;

pub use handler::UnknownDialect;
pub use http::{
    BadPassword, BadPublicUrl, BadToken, Bound, DEFAULT_ADDRESS, Endpoints, HttpConfig, HttpError,
    Listening, NotOpened, PASSWORD_CHARS_MIN, Password, PasswordShelf, PublicUrl, Token, Visit,
    Visits, bind,
};
pub use identity::{Local, visitor};
pub use reply::told_plainly as told;
pub use stdio::{StdioError, pipe, stdio};
