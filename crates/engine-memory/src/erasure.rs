//! Erasing is the owner's. An agent deletes what it wrote itself; what the owner typed or another
//! agent wrote, and many memories at once, wait as a proposal that only the owner in person
//! decides. The grant `erase` lifts this for one agent.

mod authorship;
mod decision;
mod details;
mod division;
mod proposal;
mod undo;
mod view;

pub(crate) use authorship::{wrote, wrote_entity, wrote_fields};
pub(crate) use decision::decide;
pub use details::{Erasure, ErasureMode};
pub(crate) use division::{ErasureChain, divide};
pub use division::{ErasureDivision, divide_single};
pub use proposal::{ErasureProposal, PlannedProposal, plan_proposal};
pub(crate) use proposal::{open_proposal, propose};
pub(crate) use undo::plan_erasure_undo;
pub use view::ErasureView;
pub(crate) use view::{ErasureAccess, attach_view};
