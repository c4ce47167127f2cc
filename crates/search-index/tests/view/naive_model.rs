//! Reference model of the view: the same answers, computed the slow and obvious way from a plain
//! list of memories.

use crate::vector_model;
use model::{EntityId, LinkKind, MemoryId, Moment, SessionId, Status, StoredVectors, Trust};
use quipu_index::{Bm25, DocFacts, IndexEntry, IndexField, OutgoingLink, QueryTerm, QueryTerms};
use std::collections::{BTreeMap, HashMap};

/// A memory that owns the data that an entry borrows.
#[derive(Debug, Clone)]
pub struct NaiveMemory {
    pub id: i64,
    pub kind: &'static str,
    pub project: Option<&'static str>,
    pub session: Option<i64>,
    pub status: Status,
    pub created_at: i64,
    pub valid_to: Option<i64>,
    pub ended_at: Option<i64>,
    pub confidence: f32,
    pub title: String,
    pub text: String,
    pub context: String,
    pub tags: Vec<&'static str>,
    pub entities: Vec<i64>,
    pub links: Vec<(i64, LinkKind)>,
    pub vector: Option<StoredVectors>,
}

pub const DIMENSIONS: usize = 8;

impl NaiveMemory {
    pub fn entry(&self) -> IndexEntry<'_> {
        let at = Moment(self.created_at);
        let link = |&(target, kind): &(i64, LinkKind)| OutgoingLink {
            target: MemoryId(target),
            kind,
            weight: 0.5,
        };
        IndexEntry {
            facts: DocFacts {
                kind: self.kind,
                project: self.project,
                session: self.session.map(SessionId),
                status: self.status,
                valid_to: self.valid_to.map(Moment),
                ended_at: self.ended_at.map(Moment),
                confidence: self.confidence,
                trust: Trust(50),
                ..DocFacts::note(MemoryId(self.id), at)
            },
            texts: vec![
                (IndexField::Title, &self.title),
                (IndexField::Text, &self.text),
                (IndexField::Context, &self.context),
            ],
            tags: self.tags.clone(),
            entities: self.entities.iter().copied().map(EntityId).collect(),
            links: self.links.iter().map(link).collect(),
            vector: self.vector.as_ref(),
        }
    }

    /// Returns the counts of each term in title, text and context, and the lengths of these fields.
    fn term_stats(&self) -> (HashMap<String, [f32; 3]>, [f32; 3]) {
        let (mut counts, mut lengths) = (HashMap::<String, [f32; 3]>::new(), [0.0; 3]);
        for (nth, text) in [&self.title, &self.text, &self.context].into_iter().enumerate() {
            words::each_token(text, |token| {
                counts.entry(token.text.to_owned()).or_default()[nth] += 1.0;
                if token.form == words::TokenForm::Plain {
                    lengths[nth] += 1.0;
                }
            });
        }
        let highest = [3.0, 255.0, 15.0];
        let cut =
            |counts: &mut [f32; 3]| (0..3).for_each(|at| counts[at] = counts[at].min(highest[at]));
        counts.values_mut().for_each(cut);
        (counts, lengths)
    }
}

impl NaiveMemory {
    /// Returns true if two words are adjacent in the title or in the text, stop words ignored.
    fn contains_bigram(&self, pair: &[&str]) -> bool {
        [&self.title, &self.text].into_iter().any(|text| {
            let words = content_words(text);
            words.windows(2).any(|neighbours| neighbours == pair)
        })
    }
}

fn content_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    words::each_token(text, |token| {
        if token.form == words::TokenForm::Plain && !words::is_stop_word(token.text) {
            words.push(token.text.to_owned());
        }
    });
    words
}

/// All memories by id.
pub type NaiveMemories = BTreeMap<i64, NaiveMemory>;

/// Returns every memory that contains a query term, with its score, best first.
pub fn lexical(memories: &NaiveMemories, query: &QueryTerms, bm25: &Bm25) -> Vec<(i64, f32)> {
    let weights = [bm25.field_weights[0], bm25.field_weights[1], bm25.field_weights[3]];
    let weigh = |values: [f32; 3]| {
        values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>()
    };
    let counted: Vec<_> =
        memories.values().map(|memory| (memory.id, memory.term_stats())).collect();
    let total: f32 = counted.iter().map(|(_, (_, lengths))| weigh(*lengths)).sum();
    let average = total / counted.len().max(1) as f32;
    let mut found: Vec<(i64, f32)> = (counted.iter())
        .map(|(id, (counts, lengths))| {
            let norm = bm25.k1 * (1.0 - bm25.b + bm25.b * weigh(*lengths) / average);
            let score = query.terms.iter().filter_map(|term| {
                let count = weigh(*counts.get(&term.text)?);
                let stop = if words::is_stop_word(&term.text) { bm25.stop_weight } else { 1.0 };
                Some(
                    term.weight * stop * idf(&counted, &term.text) * count * (bm25.k1 + 1.0)
                        / (count + norm),
                )
            });
            (*id, score.sum())
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    found
}

/// Returns the share of the query's bigrams that each memory contains.
pub fn bigram_shares(memories: &NaiveMemories, query: &QueryTerms) -> Vec<(i64, f32)> {
    let counted: Vec<_> =
        memories.values().map(|memory| (memory.id, memory.term_stats())).collect();
    let is_content_word = |term: &&QueryTerm| {
        term.form == words::TokenForm::Plain && !words::is_stop_word(&term.text)
    };
    let words: Vec<&str> =
        query.terms.iter().filter(is_content_word).map(|term| term.text.as_str()).collect();
    let weight = |pair: &&[&str]| idf(&counted, pair[0]).min(idf(&counted, pair[1]));
    let all: f32 = words.windows(2).map(|pair| weight(&pair)).sum();
    let share = |memory: &NaiveMemory| {
        let held: f32 = words
            .windows(2)
            .filter(|pair| memory.contains_bigram(pair))
            .map(|pair| weight(&pair))
            .sum();
        if all > 0.0 { held / all } else { 0.0 }
    };
    memories.values().map(|memory| (memory.id, share(memory))).collect()
}

type NaiveTermStats = (i64, (HashMap<String, [f32; 3]>, [f32; 3]));

fn idf(counted: &[NaiveTermStats], term: &str) -> f32 {
    let holding =
        counted.iter().filter(|(_, (counts, _))| counts.contains_key(term)).count() as f32;
    (1.0 + (counted.len() as f32 - holding + 0.5) / (holding + 0.5)).ln()
}

/// Returns the cosine of every memory that has a vector, and that of its best passage.
pub fn cosines(memories: &NaiveMemories, query: &[f32]) -> BTreeMap<i64, (f32, Option<f32>)> {
    let with_vector =
        memories.values().filter_map(|memory| Some((memory.id, memory.vector.as_ref()?)));
    let both = |vector: &StoredVectors| {
        let mut cosines =
            vector.data.chunks(4 + DIMENSIONS).map(|window| cosine(&window[4..], query));
        (cosines.next().unwrap(), cosines.max_by(f32::total_cmp))
    };
    with_vector.map(|(id, vector)| (id, both(vector))).collect()
}

fn cosine(codes: &[u8], query: &[f32]) -> f32 {
    let codes: Vec<f32> = codes.iter().map(|&code| f32::from(code as i8)).collect();
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let norms = dot(&codes, &codes).sqrt() * dot(query, query).sqrt();
    if norms == 0.0 { 0.0 } else { dot(&codes, query) / norms }
}

/// Returns all links between existing memories as source, target and kind, sorted.
pub fn links(memories: &NaiveMemories) -> Vec<(i64, i64, u8)> {
    let mut links: Vec<(i64, i64, u8)> = (memories.values())
        .flat_map(|memory| {
            memory.links.iter().map(|&(target, kind)| (memory.id, target, kind as u8))
        })
        .filter(|(_, target, _)| memories.contains_key(target))
        .collect();
    links.sort_unstable();
    links
}

/// Returns the smallest number of links, in either direction, to every reachable memory.
pub fn depths(memories: &NaiveMemories, start: i64) -> BTreeMap<i64, u32> {
    let links = links(memories);
    let mut depths = BTreeMap::from([(start, 0)]);
    for depth in 1..=memories.len() as u32 {
        let reached: Vec<i64> = (links.iter())
            .flat_map(|&(source, target, _)| [(source, target), (target, source)])
            .filter(|(from, to)| depths.get(from) == Some(&(depth - 1)) && !depths.contains_key(to))
            .map(|(_, to)| to)
            .collect();
        depths.extend(reached.into_iter().map(|id| (id, depth)));
    }
    depths
}

/// Builds a stored vector: that of the whole text, then those of its passages.
pub fn stored_vector(windows: &[[i8; DIMENSIONS]]) -> StoredVectors {
    let bytes = windows.iter().flat_map(|window| {
        1.0_f32.to_le_bytes().into_iter().chain(window.iter().map(|&code| code as u8))
    });
    StoredVectors { model: vector_model(DIMENSIONS), data: bytes.collect() }
}
