//! Embedder that calls an endpoint with OpenAI's embeddings API: a server on this machine such as
//! Ollama or llama.cpp, or a remote one. This is the only crate that makes outgoing HTTP requests,
//! and it only contacts the one host that its owner configured. It guarantees bounded time, a
//! budget that outlives the process, and that no key and no text ends up in an error. It does not
//! know memories or stores; what happens while the endpoint is unavailable is decided by the
//! engine.

mod answer;
mod asking;
mod endpoint;
mod exchange;
mod fault;
mod key;
mod ledger;
mod patience;
mod settings;
mod texts;

pub use endpoint::Endpoint;
pub use key::KeySource;
pub use ledger::{Budget, Spending};
pub use settings::{PlainHttp, Settings, SettingsError};
