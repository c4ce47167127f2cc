//! The formats that a memory goes out in and comes in from, as long work: how far it is, and what
//! came of it.

use super::State;
use axum::body::Bytes;
use engine::{Caller, Engine};
use interchange::transfer::ImportOptions;
use interchange::{Step, amem, export_amem, export_jsonl, import_amem, import_jsonl};
use std::io::{Cursor, Error, Result as Written, Write};

/// The largest file that is written for a browser, in bytes; a larger one is for the command line.
const EXPORT_BYTES: usize = 256 * 1024 * 1024;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Everything there is, as JSON Lines.
    Jsonl,
    /// What AgenticMemory reads.
    Amem,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Jsonl, Self::Amem];

    /// Its name, and how its files end.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Amem => "amem",
        }
    }

    /// What it is, for people.
    pub fn says(self) -> &'static str {
        match self {
            Self::Jsonl => "everything, as JSON Lines (.jsonl)",
            Self::Amem => "AgenticMemory (.amem)",
        }
    }

    /// The format of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of a file: an export of our own is text that begins with an object.
    fn of(file: &[u8]) -> Self {
        if file.first() == Some(&b'{') { Self::Jsonl } else { Self::Amem }
    }
}

/// Reads a file in. What went in before a fault stays, and reading it once more goes on there.
pub(crate) async fn read_in(
    engine: &Engine,
    caller: &Caller,
    file: Vec<u8>,
    tell: impl Fn(usize, usize) + Send,
) -> State {
    let told = match Format::of(&file) {
        Format::Jsonl => read_jsonl(engine, caller, file, tell).await,
        Format::Amem => read_amem(engine, caller, &file, tell).await,
    };
    told.map_or_else(State::Failed, |said| State::Done(said, None))
}

async fn read_jsonl(
    engine: &Engine,
    caller: &Caller,
    file: Vec<u8>,
    tell: impl Fn(usize, usize) + Send,
) -> Result<String, String> {
    let total = file.len();
    let reach = |done: u64| tell(usize::try_from(done).unwrap_or(total), total);
    let options = ImportOptions { from_outside: false };
    let imported = import_jsonl(engine, caller, Cursor::new(file), options, reach).await;
    let imported = imported.map_err(|error| format!("the file cannot be read: {error}"))?;
    let added: Vec<String> =
        imported.added.iter().map(|(sort, count)| format!("{sort} {count}")).collect();
    let added = if added.is_empty() { "nothing".to_owned() } else { added.join(", ") };
    let (known, passed_over) = (imported.known, imported.passed_over.len());
    Ok(format!("Came in: {added}; {known} were there already, and {passed_over} were passed over"))
}

async fn read_amem(
    engine: &Engine,
    caller: &Caller,
    file: &[u8],
    tell: impl Fn(usize, usize) + Send,
) -> Result<String, String> {
    let graph = amem::read(file).map_err(|error| format!("the file cannot be read: {error}"))?;
    let step = |step: Step| tell(step.done, step.total);
    let imported =
        import_amem(engine, caller, &graph, step).await.map_err(|failure| failure.message)?;
    Ok(format!(
        "Came in: {} memories, {} links, {} sessions; {} were there already, and {} were passed over",
        imported.added,
        imported.links,
        imported.sessions,
        imported.known,
        imported.passed_over.len()
    ))
}

/// Writes the memory into a file.
pub(crate) async fn write_out(
    engine: &Engine,
    caller: &Caller,
    format: Format,
    tell: impl Fn(usize, usize) + Send,
) -> State {
    let written = match format {
        Format::Jsonl => write_jsonl(engine, caller, tell).await,
        Format::Amem => export_amem(engine, caller, |step: Step| tell(step.done, step.total))
            .await
            .map(|graph| amem::write(&graph))
            .map_err(|failure| failure.message),
    };
    let name = format!("quipu-{}-{}.{}", caller.owner, engine.now().date(), format.name());
    written.map_or_else(State::Failed, |bytes| {
        State::Done(format!("{name}, {} bytes", bytes.len()), Some((name, Bytes::from(bytes))))
    })
}

async fn write_jsonl(
    engine: &Engine,
    caller: &Caller,
    tell: impl Fn(usize, usize) + Send,
) -> Result<Vec<u8>, String> {
    let mut out = Bounded(Vec::new());
    let step = |step: Step| tell(step.done, step.total);
    export_jsonl(engine, caller, &mut out, step).await.map_err(|error| error.to_string())?;
    Ok(out.0)
}

/// A file in memory that does not grow without end.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> Written<usize> {
        if self.0.len() + bytes.len() > EXPORT_BYTES {
            return Err(Error::other("the file is too large for a browser; use `quipu export`"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Written<()> {
        Ok(())
    }
}
