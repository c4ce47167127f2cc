//! Query-independent ranking features of a memory: the few facts that the ranking weighs, read for
//! hundreds of candidates at a time.

use crate::fact_table::decode_share;
use crate::interner::NO_NAME;
use crate::prefetch::{prefetch, with_prefetch};
use crate::{DocId, View};
use model::{Moment, Trust};
use std::slice::from_ref;

/// The facts of a memory that the ranking weighs; see [`crate::DocFacts`] for their meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankFeatures<'a> {
    pub project: Option<&'a str>,
    pub speaker: Option<&'a str>,
    pub valid_from: Moment,
    pub priority: u8,
    pub trust: Trust,
    /// Share of the text that consists of questions, 0 to 1.
    pub question_share: f32,
    /// Number of open flags against the memory.
    pub flags: u32,
}

impl View {
    /// Returns the ranking features of each of these documents, in their order.
    pub fn rank_features<'v>(
        &'v self,
        docs: &'v [DocId],
    ) -> impl Iterator<Item = RankFeatures<'v>> {
        let table = &self.columns.table;
        // Seven columns mean seven cache misses per document; issued ahead of time they overlap.
        let prefetch_for = move |doc: DocId| {
            let at = doc.index();
            for column in [&table.project, &table.speaker, &table.flags] {
                prefetch(from_ref(&column[at]));
            }
            for column in [&table.priority, &table.trust, &table.asking] {
                prefetch(from_ref(&column[at]));
            }
            prefetch(from_ref(&table.valid_from[at]));
        };
        with_prefetch(docs, prefetch_for).map(|doc| self.rank_features_of(doc))
    }

    fn rank_features_of(&self, doc: DocId) -> RankFeatures<'_> {
        let (table, at) = (&self.columns.table, doc.index());
        RankFeatures {
            project: self.name_or_none(table.project[at]),
            speaker: self.speaker(doc),
            valid_from: Moment(table.valid_from[at]),
            priority: table.priority[at],
            trust: Trust(table.trust[at]),
            question_share: self.question_share(doc),
            flags: table.flags[at],
        }
    }

    /// Returns the speaker of a memory that was said in a conversation.
    #[must_use]
    pub fn speaker(&self, doc: DocId) -> Option<&str> {
        self.name_or_none(self.columns.table.speaker[doc.index()])
    }

    /// Returns the share of a memory's text that consists of questions, 0 to 1.
    #[must_use]
    pub fn question_share(&self, doc: DocId) -> f32 {
        decode_share(self.columns.table.asking[doc.index()])
    }

    fn name_or_none(&self, number: u32) -> Option<&str> {
        (number != NO_NAME).then(|| self.names.name(number))
    }
}
