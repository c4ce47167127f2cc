//! A data set: documents that were told, questions with the documents and sessions that answer
//! them. Ids are opaque names, used for scoring and never shown to the memory.

use super::lines::{Source, read, wrong};
use crate::exit::Problem;
use model::Moment;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A data set.
#[derive(Debug)]
pub(super) struct DataSet {
    pub name: String,
    pub corpus_file: Source,
    pub queries_file: Source,
    pub documents: Vec<Document>,
    pub queries: Vec<Query>,
}

/// Something that was told. Fields that are not named here are passed over.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    pub doc_id: String,
    /// Whose memory it belongs to.
    pub group: String,
    pub session: String,
    pub date: Option<Day>,
    pub speaker: Option<String>,
    pub text: String,
}

/// A question with its answers.
#[derive(Debug, Deserialize)]
pub(super) struct Query {
    pub query_id: String,
    /// Whose memory is asked.
    pub group: String,
    pub text: String,
    /// When it is asked; now when missing.
    pub date: Option<Day>,
    #[serde(default)]
    pub category: String,
    /// The documents that answer it; none when nothing should.
    pub gold: Vec<String>,
    /// The sessions that do.
    #[serde(default)]
    pub gold_sessions: Vec<String>,
    /// The only sessions it may see, each with its date; all when missing.
    pub haystack: Option<Vec<(String, Option<Day>)>>,
}

/// A date or time as the data writes it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Day(pub Moment);

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Moment::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

impl DataSet {
    /// Reads the two files of a directory.
    ///
    /// # Errors
    /// When a file cannot be read, a line is not what it should be, or an id is there twice.
    pub fn load(dir: &Path) -> Result<Self, Problem> {
        let corpus_file = Source::find(dir, "corpus.jsonl")?;
        let queries_file = Source::find(dir, "queries.jsonl")?;
        let documents = unique(&corpus_file, |document: &Document| &document.doc_id)?;
        let queries = unique(&queries_file, |query: &Query| &query.query_id)?;
        let mut set = Self { name: name_of(dir), corpus_file, queries_file, documents, queries };
        set.date_by_haystack();
        Ok(set)
    }

    /// A document without a date has the one that the first haystack gives its session.
    fn date_by_haystack(&mut self) {
        let mut days: HashMap<(&str, &str), Day> = HashMap::new();
        for query in &self.queries {
            for (session, day) in query.haystack.iter().flatten() {
                if let Some(day) = day {
                    days.entry((&query.group, session)).or_insert(*day);
                }
            }
        }
        for document in &mut self.documents {
            let told = days.get(&(document.group.as_str(), document.session.as_str()));
            document.date = document.date.or(told.copied());
        }
    }
}

fn unique<T: serde::de::DeserializeOwned>(
    file: &Source,
    id: fn(&T) -> &String,
) -> Result<Vec<T>, Problem> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (number, item) in read::<T>(&file.path)? {
        if !seen.insert(id(&item).clone()) {
            return Err(wrong(
                &file.path,
                number,
                &format!("the id `{}` is there twice", id(&item)),
            ));
        }
        kept.push(item);
    }
    Ok(kept)
}

fn name_of(dir: &Path) -> String {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}
