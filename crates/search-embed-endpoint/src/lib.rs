//! Turns text into vectors by asking an endpoint that speaks OpenAI's embeddings interface: a
//! server on this machine such as Ollama or llama.cpp, or one elsewhere. It is the only room that
//! calls out over HTTP, and it calls exactly the one host that its owner named. It promises bounded
//! time, a budget that outlives the process, and that no key and no text ends up in an error. It
//! does not know memories or stores; what happens while the endpoint is away is the engine's to
//! decide.

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
