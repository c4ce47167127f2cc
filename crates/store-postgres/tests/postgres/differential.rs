//! The differential test: the whole conformance suite and its random batches on a store on SQLite
//! and on one on PostgreSQL at once, comparing every answer.

use crate::fixture::is_available;
use crate::pair::open_pair;

store_conformance::conformance_suite!(open_pair, when: is_available);
