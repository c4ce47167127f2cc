//! What a text says beyond its words: what it mentions, who it ties to what, and what it cannot
//! hold beside. Found while the embedder, which has a thread of its own, makes the vector.

use super::conflicts::{Rival, find_rivals};
use super::draft::Draft;
use super::input::Remember;
use super::mentioned::mentioned;
use super::mentions::plan_mentions;
use crate::knots::ties_in_row;
use engine_core::call::Call;
use engine_core::plan::Plan;
use model::{Failure, Record};
use reading::{Mention, MentionKind, Tie};

/// What was found in a text that is to be remembered.
pub(super) struct Found {
    pub rivals: Vec<Rival>,
    pub told: Told,
}

impl Found {
    /// Reads a draft, and the row that comes with it.
    pub async fn read(call: &Call<'_>, input: &Remember, draft: &Draft) -> Result<Self, Failure> {
        let mut told = Told::read(&draft.memory.text).await?;
        if let Some(row) = &input.row {
            told.ties.extend(ties_in_row(&Record::table_name(&row.table)?, &row.data));
        }
        Ok(Self { rivals: find_rivals(call, draft).await?, told })
    }
}

/// What a text tells of, whoever wrote it: what it mentions, and who it ties to what.
pub struct Told {
    pub ties: Vec<Tie>,
    mentions: Vec<Mention>,
}

impl Told {
    /// Reads a text.
    pub async fn read(text: &str) -> Result<Self, Failure> {
        let mentions = mentioned(text).await?;
        Ok(Self { ties: ties(text, &mentions), mentions })
    }

    /// Notes what the text mentions, apart from what its ties name: those are noted with the ties.
    pub fn plan_mentions(&self, plan: &mut Plan, place: usize) {
        let untied = |mention: &&Mention| !self.ties.iter().any(|tie| tie.names(&mention.name));
        let mentions: Vec<Mention> = self.mentions.iter().filter(untied).cloned().collect();
        plan_mentions(plan, &mentions, place);
    }
}

/// The ties that a text states. What is tied to is of the sort that the reading of names tells,
/// where the statement does not.
fn ties(text: &str, mentions: &[Mention]) -> Vec<Tie> {
    let mut ties = reading::ties(text);
    for tie in ties.iter_mut().filter(|tie| tie.kind.is_none()) {
        let named = mentions.iter().find(|mention| mention.name == tie.object);
        let told = named.filter(|mention| mention.kind != MentionKind::Name);
        tie.kind = told.map(|mention| mention.kind.as_str());
    }
    ties
}
