//! MCP over stdio and Streamable HTTP, and the HTTP front end of everything Quipu serves.
//!
//! Serves any [`dialects::Dialect`]: lists its tools, checks what a client sends against their
//! schemas, runs the call and encodes the result. Every protocol revision from 2024-11-05 to
//! 2026-07-28 is supported at once, and no state is kept between two requests. This crate does not
//! know what a memory is.

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
pub use reply::told_plainly;
pub use stdio::{StdioError, pipe, stdio};
