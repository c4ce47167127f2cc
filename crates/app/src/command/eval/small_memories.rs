//! Small memories made by rule from a data set: the documents of each group are dealt into memories
//! of a few, as a new user has them. Each question is asked of the memory that holds its answer and
//! of one that does not; a question without an answer, of the memory that resembles it most. The
//! same data gives the same memories.

use super::coverage::words_of;
use super::data::{DataSet, EvalDocument, EvalQuery};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// Number of times that everything is dealt.
const DRAWS: usize = 2;
/// Categories of the questions.
const ANSWERED: &str = "answered";
const ANSWERED_ELSEWHERE: &str = "answered elsewhere";
const NOT_ANSWERED: &str = "not answered";

/// Deals the documents of each group into memories of `size`; the last one has the remainder too.
pub(super) fn deal(data: DataSet, size: usize) -> DataSet {
    let (mut documents, mut queries) = (Vec::new(), Vec::new());
    for draw in 0..DRAWS {
        let hands = Hands::deal(&data.documents, size.max(1), draw);
        documents.extend(data.documents.iter().map(|document| EvalDocument {
            group: hands.of_document[document.doc_id.as_str()].clone(),
            ..document.clone()
        }));
        queries.extend(data.queries.iter().flat_map(|query| hands.questions(&data, query, draw)));
    }
    let name = format!("{}, dealt into memories of {size}", data.name);
    DataSet { name, documents, queries, ..data }
}

/// Memories of one draw.
struct Hands<'d> {
    /// Memory of each document.
    of_document: HashMap<&'d str, String>,
    /// Memories of each group.
    of_group: BTreeMap<&'d str, Vec<String>>,
}

impl<'d> Hands<'d> {
    fn deal(documents: &'d [EvalDocument], size: usize, draw: usize) -> Self {
        let mut groups: BTreeMap<&str, Vec<&EvalDocument>> = BTreeMap::new();
        for document in documents {
            groups.entry(&document.group).or_default().push(document);
        }
        let mut hands = Self { of_document: HashMap::new(), of_group: BTreeMap::new() };
        for (group, mut documents) in groups {
            documents.sort_by_cached_key(|document| shuffle_key(draw, &document.doc_id));
            let count = (documents.len() / size).max(1);
            let name = |at: usize| format!("{group}/{draw}/{at}");
            hands.of_group.insert(group, (0..count).map(name).collect());
            let dealt = documents.iter().enumerate();
            hands.of_document.extend(
                dealt.map(|(at, one)| (one.doc_id.as_str(), name((at / size).min(count - 1)))),
            );
        }
        hands
    }

    /// Returns a question as it is asked of one or two memories.
    fn questions(&self, data: &DataSet, query: &EvalQuery, draw: usize) -> Vec<EvalQuery> {
        let asked = |category: &str, memory: &str, gold: Vec<String>| EvalQuery {
            query_id: format!("{}/{draw}/{category}", query.query_id),
            group: memory.to_owned(),
            category: category.to_owned(),
            gold,
            gold_sessions: Vec::new(),
            ..query.clone()
        };
        let memory_of = |id: &String| self.of_document.get(id.as_str());
        let Some(with) = query.gold.first().and_then(memory_of) else {
            let nearest = nearest_document(data, query).and_then(|one| memory_of(&one.doc_id));
            return nearest
                .map(|memory| asked(NOT_ANSWERED, memory, Vec::new()))
                .into_iter()
                .collect();
        };
        let gold = query.gold.iter().filter(|id| memory_of(id) == Some(with)).cloned().collect();
        let mut others = self.of_group.get(query.group.as_str()).cloned().unwrap_or_default();
        others.retain(|memory| query.gold.iter().all(|id| memory_of(id) != Some(memory)));
        let other = others
            .into_iter()
            .min_by_key(|one| shuffle_key(draw, &format!("{one} {}", query.query_id)));
        let elsewhere = other.map(|memory| asked(ANSWERED_ELSEWHERE, &memory, Vec::new()));
        std::iter::once(asked(ANSWERED, with, gold)).chain(elsewhere).collect()
    }
}

/// Returns the document of the question's group that shares most words with it.
fn nearest_document<'d>(data: &'d DataSet, query: &EvalQuery) -> Option<&'d EvalDocument> {
    let words = words_of(&query.text);
    let shared = |document: &&EvalDocument| words_of(&document.text).intersection(&words).count();
    let candidates = data.documents.iter().filter(|document| document.group == query.group);
    candidates.max_by_key(shared)
}

/// Returns a key that sorts names in an order that depends on the draw alone.
fn shuffle_key(draw: usize, name: &str) -> [u8; 32] {
    Sha256::digest(format!("{draw} {name}")).into()
}
