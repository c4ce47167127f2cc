//! Hooks of coding agents: what a client sends, what it expects back, the turns that are captured
//! from it, and private mode. Captured turns go to a spool on disk first; whoever opens the memory
//! next delivers them. It knows neither the memory nor the command line.

mod branch;
mod context_block;
mod hook_input;
mod hook_output;
mod private_mode;
mod session_state;
mod spool;
mod transcript;
mod turn;

pub use branch::branch_of;
pub use context_block::{ContextBlock, without_injected};
pub use hook_input::HookInput;
pub use hook_output::{OUTPUT_BYTES, OUTPUT_CHARS_MAX, render_context};
pub use private_mode::{MARKER_FILE, PrivateReason, PrivateSettings};
pub use session_state::HookSession;
pub use spool::{SpoolEntry, TurnSpool};
pub use transcript::{StoredFormat, StoredRows, TranscriptFormat, read_stored, read_transcript};
pub use turn::{CapturedTurn, Speaker, TurnSource};
