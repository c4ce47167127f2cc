//! The conformance suite of the storage contract.

use crate::fixture::{is_available, open};

store_conformance::conformance_suite!(open, when: is_available);
