//! What bears on the rank of a memory beside its words: few of its facts, read for hundreds of
//! places at a time.

use crate::ahead::{ahead, fetch};
use crate::columns::share_of;
use crate::names::NO_NAME;
use crate::{Doc, View};
use model::{Moment, Trust};
use std::slice::from_ref;

/// The facts of a memory that a ranking weighs; [`crate::Facts`] tells what each of them is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bearing<'a> {
    /// The project it belongs to.
    pub project: Option<&'a str>,
    /// Who said it.
    pub speaker: Option<&'a str>,
    /// From when on it holds.
    pub valid_from: Moment,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// How far it is believed.
    pub trust: Trust,
    /// How much of its text only asks, 0 to 1.
    pub asking: f32,
    /// How many open flags complain about it.
    pub flags: u32,
}

impl View {
    /// What bears on the rank of each of these memories, in their order.
    pub fn bearings<'v>(&'v self, docs: &'v [Doc]) -> impl Iterator<Item = Bearing<'v>> {
        let table = &self.columns.table;
        let fetch_for = move |doc: Doc| {
            let at = doc.index();
            for column in [&table.project, &table.speaker, &table.flags] {
                fetch(from_ref(&column[at]));
            }
            for column in [&table.priority, &table.trust, &table.asking] {
                fetch(from_ref(&column[at]));
            }
            fetch(from_ref(&table.valid_from[at]));
        };
        ahead(docs, fetch_for).map(|doc| self.bearing(doc))
    }

    fn bearing(&self, doc: Doc) -> Bearing<'_> {
        let (table, at) = (&self.columns.table, doc.index());
        Bearing {
            project: self.name_or_none(table.project[at]),
            speaker: self.speaker(doc),
            valid_from: Moment(table.valid_from[at]),
            priority: table.priority[at],
            trust: Trust(table.trust[at]),
            asking: self.asking(doc),
            flags: table.flags[at],
        }
    }

    /// Who said the memory at a place.
    #[must_use]
    pub fn speaker(&self, doc: Doc) -> Option<&str> {
        self.name_or_none(self.columns.table.speaker[doc.index()])
    }

    /// How much of the memory at a place only asks.
    #[must_use]
    pub fn asking(&self, doc: Doc) -> f32 {
        share_of(self.columns.table.asking[doc.index()])
    }

    fn name_or_none(&self, number: u32) -> Option<&str> {
        (number != NO_NAME).then(|| self.names.name(number))
    }
}
