//! The state of a job as text, for storage.

use super::{CreatedFile, FileSize, JobState, Upload};
use model::{Moment, Seq};
use serde_json::{Value, json};

/// Time without a sign of life after which the server of a job is taken to have stopped.
const SILENCE_SECONDS: i64 = 60;

/// State of a job, and the time of its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredJob {
    pub state: JobState,
    pub at: Moment,
}

impl StoredJob {
    /// Returns the state as of now: a job whose server is silent has failed.
    pub fn state_at(self, now: Moment) -> JobState {
        if self.state.is_running() && self.at.plus_seconds(SILENCE_SECONDS) < now {
            return JobState::Failed("The server that did this has stopped; start it again".into());
        }
        self.state
    }

    pub fn encode(&self) -> String {
        let mut job = match &self.state {
            JobState::Uploading(upload) => json!({
                "state": "uploading", "bytes": upload.bytes, "parts": upload.parts,
            }),
            JobState::Running(done, total) => json!({ "state": "running", "of": [done, total] }),
            JobState::Reading(done, total) => json!({ "state": "reading", "of": [done, total] }),
            JobState::Failed(reason) => json!({ "state": "failed", "said": reason }),
            JobState::Done(said, None) => json!({ "state": "done", "said": said }),
            JobState::Done(said, Some(file)) => json!({
                "state": "done", "said": said,
                "name": file.name, "size": encode_size(&file.size), "erased": file.erased.0,
            }),
        };
        job["at"] = self.at.0.into();
        job.to_string()
    }

    pub fn decode(text: &str) -> Option<Self> {
        let job: Value = serde_json::from_str(text).ok()?;
        let said = || Some(job["said"].as_str()?.to_owned());
        let of = || Some((number(&job["of"][0])?, number(&job["of"][1])?));
        let state = match job["state"].as_str()? {
            "uploading" => JobState::Uploading(decode_upload(&job)?),
            "running" => of().map(|(done, total)| JobState::Running(done, total))?,
            "reading" => of().map(|(done, total)| JobState::Reading(done, total))?,
            "failed" => JobState::Failed(said()?),
            "done" => JobState::Done(said()?, decode_file(&job)),
            _ => return None,
        };
        Some(Self { state, at: Moment(job["at"].as_i64()?) })
    }
}

fn encode_size(size: &FileSize) -> Value {
    json!([size.bytes, size.parts])
}

fn decode_size(size: &Value) -> Option<FileSize> {
    Some(FileSize { bytes: number(&size[0])?, parts: size[1].as_i64()? })
}

fn decode_upload(job: &Value) -> Option<Upload> {
    let parts = job["parts"].as_array()?.iter().map(Value::as_i64);
    Some(Upload { bytes: number(&job["bytes"])?, parts: parts.collect::<Option<_>>()? })
}

fn decode_file(job: &Value) -> Option<CreatedFile> {
    let name = job["name"].as_str()?.to_owned();
    let erased = Seq(job["erased"].as_i64()?);
    Some(CreatedFile { name, size: decode_size(&job["size"])?, erased })
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}
