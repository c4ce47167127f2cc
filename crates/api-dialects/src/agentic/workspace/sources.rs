//! Sources of a workspace and how they are searched. A file must be in a directory that the owner
//! allowed, after resolving symbolic links; the memory of another owner must be allowed by name,
//! and by that owner's own grants.

use super::super::render;
use engine::external_search::{ExternalMemories, ExternalMemory};
use engine::similar::{SimilarRequest, SimilarityTarget};
use engine::{Caller, CallerAccess, Engine};
use interchange::amem::{self, AmemGraph};
use model::{AgentName, ContextSource, ErrorCode, Failure, LinkKind, OwnerId, Permission, limits};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Prefix that names a memory of this installation instead of a file.
const OWNER_PREFIX: &str = "quipu:";
/// Maximum number of opened files in the cache.
const CACHED_FILES_MAX: usize = 8;

/// Memories that a workspace may read. The owner's own is always allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceAllowlist {
    /// Directories with readable `.amem` files.
    pub directories: Vec<PathBuf>,
    /// Owners with readable memories.
    pub owners: Vec<OwnerId>,
}

/// Allowed sources, with a cache of opened files.
#[derive(Debug, Default)]
pub(in crate::agentic) struct WorkspaceSources {
    allowlist: WorkspaceAllowlist,
    cache: Mutex<HashMap<PathBuf, Arc<OpenedFile>>>,
}

/// File that is loaded for searching, with its version at that time.
#[derive(Debug)]
struct OpenedFile {
    version: (u64, Option<SystemTime>),
    nodes: usize,
    edges: usize,
    index: ExternalMemories,
}

impl WorkspaceSources {
    pub(in crate::agentic) fn new(allowlist: WorkspaceAllowlist) -> Self {
        Self { allowlist, cache: Mutex::default() }
    }

    /// Resolves the source that an argument names, if the owner allowed it.
    pub fn resolve(&self, caller: &Caller, path: &str) -> Result<ContextSource, Failure> {
        match path.trim().strip_prefix(OWNER_PREFIX) {
            Some(name) => self.allowed_owner(caller, name).map(ContextSource::Owner),
            None => {
                let real = self.allowed_file(Path::new(path.trim()))?;
                let text =
                    real.to_str().ok_or_else(|| Failure::invalid("the path is not valid UTF-8"))?;
                Ok(ContextSource::File(text.to_owned()))
            }
        }
    }

    fn allowed_owner(&self, caller: &Caller, name: &str) -> Result<OwnerId, Failure> {
        let owner = OwnerId::new(name).map_err(|error| Failure::invalid(error.to_string()))?;
        if owner == caller.owner || self.allowlist.owners.contains(&owner) {
            return Ok(owner);
        }
        let message =
            format!("the owner has not allowed access to {owner} (setting workspace_owners)");
        Err(Failure::new(ErrorCode::Forbidden, message))
    }

    /// Returns the canonical path of an allowed file. A file outside of the allowed directories is
    /// reported like a missing one, so that a caller cannot probe the disk.
    fn allowed_file(&self, path: &Path) -> Result<PathBuf, Failure> {
        let within = |real: &PathBuf| {
            let mut allowed =
                self.allowlist.directories.iter().filter_map(|one| one.canonicalize().ok());
            real.extension().is_some_and(|end| end == "amem")
                && real.is_file()
                && allowed.any(|directory| real.starts_with(directory))
        };
        // Joining an absolute path yields that path, so relative and absolute paths both work.
        let tried = self.allowlist.directories.iter().map(|directory| directory.join(path));
        let found = tried.filter_map(|path| path.canonicalize().ok()).find(within);
        found.ok_or_else(|| {
            let shown: String = path.display().to_string().chars().take(200).collect();
            let message = format!(
                "no .amem file `{shown}` in a directory that the owner allowed \
                 (setting workspace_dirs)"
            );
            Failure::new(ErrorCode::NotFound, message)
        })
    }

    async fn open_cached(&self, path: &str) -> Result<Arc<OpenedFile>, Failure> {
        // Resolved on every call: the file may have been replaced by a symbolic link since.
        let real = self.allowed_file(Path::new(path))?;
        let version = file_version(&real);
        let known = self.cache.lock().get(&real).cloned();
        if let Some(opened) = known.filter(|opened| opened.version == version) {
            return Ok(opened);
        }
        let work = {
            let real = real.clone();
            move || open_file(&real, version)
        };
        // Reading and indexing a file blocks too long for a thread of the runtime.
        let opened = tokio::task::spawn_blocking(work).await;
        let opened =
            Arc::new(opened.map_err(|_| {
                Failure::new(ErrorCode::Internal, "reading the file was aborted")
            })??);
        // Dropping everything is good enough for a cache this small.
        let mut cache = self.cache.lock();
        if cache.len() >= CACHED_FILES_MAX {
            cache.clear();
        }
        cache.insert(real, Arc::clone(&opened));
        Ok(opened)
    }

    /// Returns the number of nodes and of edges of a source.
    pub async fn size(
        &self,
        engine: &Engine,
        caller: &Caller,
        source: &ContextSource,
    ) -> Result<(usize, usize), Failure> {
        match source {
            ContextSource::File(path) => {
                self.open_cached(path).await.map(|opened| (opened.nodes, opened.edges))
            }
            ContextSource::Owner(owner) => {
                let reader = self.as_reader(caller, owner)?;
                let counts = engine.memories().statistics(&reader).await?;
                Ok((counts.active, counts.links))
            }
        }
    }

    /// Searches a source, best matches first.
    pub(super) async fn search(
        &self,
        engine: &Engine,
        caller: &Caller,
        source: &ContextSource,
        search: &SourceSearch<'_>,
    ) -> Result<Vec<Value>, Failure> {
        let SourceSearch { query, min_score, limit } = *search;
        match source {
            ContextSource::File(path) => {
                let opened = self.open_cached(path).await?;
                let hits = opened.index.search(query, min_score, limit);
                Ok(hits.iter().map(|hit| render_file_hit(hit.memory, hit.words)).collect())
            }
            ContextSource::Owner(owner) => {
                let to = SimilarityTarget::Text(query.to_owned());
                let (kinds, sources_only) = (Vec::new(), false);
                let input = SimilarRequest { to, kinds, min: min_score, limit, sources_only };
                let alike =
                    engine.memories().similar(&self.as_reader(caller, owner)?, &input).await?;
                let shown = |one: &engine::similar::SimilarMemory| {
                    let mut node = render::search_hit(&one.memory);
                    node.insert("score".into(), render::rounded(one.similarity));
                    Value::Object(node)
                };
                Ok(alike.iter().map(shown).collect())
            }
        }
    }

    /// Returns the caller as a reader of an owner's memory. The permission is checked again,
    /// because the settings may have changed since the source was added. To another owner it is an
    /// agent of its own, `codex@me`, that reads what this very name was granted there; whatever
    /// its name or its account allow at home counts for nothing.
    fn as_reader(&self, caller: &Caller, owner: &OwnerId) -> Result<Caller, Failure> {
        let owner = self.allowed_owner(caller, owner.as_str())?;
        if owner == caller.owner {
            return Ok(caller.clone());
        }
        let guest = AgentName::new(&format!("{}@{}", caller.author.agent, caller.owner));
        let reader = Caller::agent(owner, guest, caller.author.dialect)
            .with_tool(&caller.author.tool)
            .with_reach(CallerAccess::Credential(Permission::Read));
        Ok(reader)
    }
}

/// Search in a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceSearch<'a> {
    pub query: &'a str,
    /// Minimum score, 0 to 1.
    pub min_score: f32,
    pub limit: usize,
}

/// Returns size and modification time, which together tell whether a cached file is stale.
fn file_version(real: &Path) -> (u64, Option<SystemTime>) {
    let metadata = real.metadata().ok();
    (
        metadata.as_ref().map_or(0, std::fs::Metadata::len),
        metadata.and_then(|metadata| metadata.modified().ok()),
    )
}

fn open_file(real: &Path, version: (u64, Option<SystemTime>)) -> Result<OpenedFile, Failure> {
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let refused = |why: String| Failure::invalid(format!("{name}: {why}"));
    if version.0 > limits::IMPORT_BYTES as u64 {
        return Err(refused(format!(
            "the file has {} bytes; the limit is {}",
            version.0,
            limits::IMPORT_BYTES
        )));
    }
    let bytes = std::fs::read(real).map_err(|error| refused(error.kind().to_string()))?;
    let graph = amem::read(&bytes).map_err(|error| refused(error.to_string()))?;
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    Ok(OpenedFile { version, nodes, edges, index: ExternalMemories::new(current_nodes(graph)) })
}

/// Returns the nodes that no other node supersedes.
fn current_nodes(graph: AmemGraph) -> Vec<ExternalMemory> {
    let replaced: HashSet<u64> = graph
        .edges
        .iter()
        .filter(|edge| edge.kind == LinkKind::Supersedes)
        .map(|edge| edge.target)
        .collect();
    let current = graph.nodes.into_iter().filter(|node| !replaced.contains(&node.id));
    current
        .map(|node| ExternalMemory {
            number: node.id,
            text: node.full_text(),
            kind: node.kind,
            confidence: node.confidence,
        })
        .collect()
}

fn render_file_hit(memory: &ExternalMemory, score: f32) -> Value {
    json!({
        "node_id": memory.number,
        "event_type": memory.kind,
        "content": memory.text,
        "confidence": render::rounded(memory.confidence),
        "score": render::rounded(score),
    })
}
