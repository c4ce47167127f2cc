//! The tool contracts (dialects) over the engine: arguments in, engine call, result out. One folder
//! per dialect, one small file per tool. This crate knows nothing of transports, and holds no use
//! case: behavior that two dialects need belongs to the engine.

mod agentic;
mod answer_budget;
mod arguments;
mod codememory;
mod contract;
mod epitome;
mod librarian;
mod marks;
mod memory_text;
mod optional_fields;
mod quipu;
mod schema;
mod tool_table;

pub use agentic::{Agentic, WorkspaceAllowlist};
pub use codememory::{CodeMemory, CodeMemorySettings};
pub use contract::{
    DialectApi, LIST_FIELD, PromptArgument, PromptSpec, ResourceSpec, ToolAnnotations, ToolSpec,
};
pub use epitome::Epitome;
pub use librarian::Librarian;
pub use quipu::{Quipu, recall_answer};
