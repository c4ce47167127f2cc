//! Embedder that calls an endpoint with OpenAI's embeddings API: a server on this machine such as
//! Ollama or llama.cpp, or a remote one. It only contacts the one host that its owner configured.
//! It guarantees bounded time, a budget that outlives the process, and that no key and no text ends
//! up in an error. It does not know memories or stores; what happens while the endpoint is
//! unavailable is decided by the engine.

mod circuit_breaker;
mod endpoint;
mod fault;
mod http_client;
mod key;
mod response;
mod retrying_client;
mod settings;
mod text_windows;
mod usage_file;

pub use endpoint::EndpointEmbedder;
pub use key::KeySource;
pub use settings::{EndpointSettings, PlainHttp, SettingsError};
pub use usage_file::{DailyBudget, Spending};
