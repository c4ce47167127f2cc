//! Errors of reading an `.amem` file.

/// Error of reading an `.amem` file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmemError {
    #[error("not an .amem file: it does not begin with AMEM")]
    NotAmem,
    #[error("the file has format version {0}; only version 1 can be read")]
    Version(u32),
    #[error("the file is truncated: it ends within its {0}")]
    Truncated(&'static str),
    #[error("the file has {bytes} bytes; the limit is {limit}")]
    TooLarge { bytes: usize, limit: usize },
    /// All contents together decompress to more than the import limit.
    #[error("the file decompresses to more than {limit} bytes of text")]
    TextTooLarge { limit: usize },
    #[error("the file is damaged: invalid {what} of node {node}")]
    Node {
        /// Position in the file, counted from 0.
        node: usize,
        /// Invalid part, in words.
        what: &'static str,
    },
    #[error("the file is damaged: invalid {what} of edge {edge}")]
    Edge {
        /// Position in the file, counted from 0.
        edge: usize,
        /// Invalid part, in words.
        what: &'static str,
    },
}
