//! A data set: documents, and questions with the documents and sessions that answer them. Ids are
//! opaque; they are used for scoring and never stored in the memory.

use super::json_lines::{DataFile, line_problem, read_lines};
use crate::exit::Problem;
use model::Moment;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A data set, read from two files.
#[derive(Debug)]
pub(super) struct DataSet {
    pub name: String,
    pub corpus_file: DataFile,
    pub queries_file: DataFile,
    pub documents: Vec<EvalDocument>,
    pub queries: Vec<EvalQuery>,
}

/// A document to remember. Unknown fields are ignored.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct EvalDocument {
    pub doc_id: String,
    /// Group of documents that share a memory.
    pub group: String,
    pub session: String,
    pub date: Option<EvalDate>,
    pub speaker: Option<String>,
    pub text: String,
}

/// A question with the documents that answer it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct EvalQuery {
    pub query_id: String,
    /// Group whose memory is searched.
    pub group: String,
    pub text: String,
    /// Date of the question; now if missing.
    pub date: Option<EvalDate>,
    #[serde(default)]
    pub category: String,
    /// Documents that answer it; empty if nothing should.
    pub gold: Vec<String>,
    /// Sessions of these documents.
    #[serde(default)]
    pub gold_sessions: Vec<String>,
    /// Answer in words, by which the sentence that states it is recognised.
    #[serde(default)]
    pub answer: serde_json::Value,
    /// Sessions that may be searched, each with its date; all if missing.
    pub haystack: Option<Vec<(String, Option<EvalDate>)>>,
}

/// A date, or a date and time.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct EvalDate(pub Moment);

impl TryFrom<String> for EvalDate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Moment::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

impl DataSet {
    /// Reads the two files of a directory.
    ///
    /// # Errors
    /// Fails when a file cannot be read, a line is invalid, or an id occurs twice.
    pub fn load(dir: &Path) -> Result<Self, Problem> {
        let corpus_file = DataFile::find(dir, "corpus.jsonl")?;
        let queries_file = DataFile::find(dir, "queries.jsonl")?;
        let documents = read_unique(&corpus_file, |document: &EvalDocument| &document.doc_id)?;
        let queries = read_unique(&queries_file, |query: &EvalQuery| &query.query_id)?;
        let mut set =
            Self { name: directory_name(dir), corpus_file, queries_file, documents, queries };
        set.date_by_haystack();
        Ok(set)
    }

    /// Dates documents that have none, by the first haystack that dates their session.
    fn date_by_haystack(&mut self) {
        let mut days: HashMap<(&str, &str), EvalDate> = HashMap::new();
        for query in &self.queries {
            for (session, day) in query.haystack.iter().flatten() {
                if let Some(day) = day {
                    days.entry((&query.group, session)).or_insert(*day);
                }
            }
        }
        for document in &mut self.documents {
            let day = days.get(&(document.group.as_str(), document.session.as_str()));
            document.date = document.date.or(day.copied());
        }
    }
}

fn read_unique<T: serde::de::DeserializeOwned>(
    file: &DataFile,
    id: fn(&T) -> &String,
) -> Result<Vec<T>, Problem> {
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for (number, item) in read_lines::<T>(&file.path)? {
        if !seen.insert(id(&item).clone()) {
            return Err(line_problem(
                &file.path,
                number,
                &format!("the id `{}` occurs twice", id(&item)),
            ));
        }
        items.push(item);
    }
    Ok(items)
}

fn directory_name(dir: &Path) -> String {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned()
}
