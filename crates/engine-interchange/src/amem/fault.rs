//! Why a file cannot be read or written.

/// Why a file is no `.amem` file that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmemError {
    /// It begins as something else.
    #[error("this is no .amem file: it does not begin with AMEM")]
    NotAmem,
    /// It is of another version.
    #[error("the file is of version {0}; only version 1 can be read")]
    Version(u32),
    /// It ends too early.
    #[error("the file is cut off: it ends within its {0}")]
    CutOff(&'static str),
    /// It is larger than anything that is read in.
    #[error("the file has {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// How large it is.
        bytes: usize,
        /// How large it may be.
        limit: usize,
    },
    /// Its contents together are longer than anything that is read in.
    #[error("the file unpacks to more than {limit} bytes of text")]
    TooMuchText {
        /// How much it may unpack to.
        limit: usize,
    },
    /// A node makes no sense.
    #[error("the file is damaged: the {what} of node {node}")]
    Node {
        /// Which node, counted from 0 in the order of the file.
        node: usize,
        /// What of it.
        what: &'static str,
    },
    /// An edge makes no sense.
    #[error("the file is damaged: the {what} of edge {edge}")]
    Edge {
        /// Which edge, counted from 0 in the order of the file.
        edge: usize,
        /// What of it.
        what: &'static str,
    },
}
