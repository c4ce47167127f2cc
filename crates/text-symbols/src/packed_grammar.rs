//! Grammars whose parse tables are packed in the binary and unpacked when code in their language is
//! first met: the tables of ten grammars were 9 MB, a ninth of the binary, and most processes never
//! parse most of the languages.

use flate2::read::DeflateDecoder;
use std::io::Read as _;
use std::sync::OnceLock;
use tree_sitter::Language;
use tree_sitter_language::LanguageFn;

/// A grammar with packed tables.
pub(crate) struct PackedGrammar {
    language: LanguageFn,
    /// Fills the tables and returns true, or returns false if the number of bytes is not theirs.
    unpack: unsafe extern "C" fn(*const u8, usize) -> bool,
    tables: &'static [u8],
    /// True once the tables are filled, false if they could not be.
    ready: OnceLock<bool>,
}

macro_rules! packed_grammar {
    ($constant:ident, $name:literal, $language:ident, $unpack:ident) => {
        pub(crate) static $constant: PackedGrammar = {
            #[expect(unsafe_code, reason = "grammars are C code, compiled by the build script")]
            unsafe extern "C" {
                fn $language() -> *const ();
                fn $unpack(tables: *const u8, bytes: usize) -> bool;
            }
            PackedGrammar {
                // SAFETY: the function is the one that the generator of the grammar wrote.
                #[expect(unsafe_code, reason = "a grammar in C has no safe constructor")]
                language: unsafe { LanguageFn::from_raw($language) },
                unpack: $unpack,
                tables: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".tables")),
                ready: OnceLock::new(),
            }
        };
    };
}

packed_grammar!(BASH, "bash", tree_sitter_bash, quipu_unpack_bash);
packed_grammar!(C, "c", tree_sitter_c, quipu_unpack_c);
packed_grammar!(CPP, "cpp", tree_sitter_cpp, quipu_unpack_cpp);
packed_grammar!(GO, "go", tree_sitter_go, quipu_unpack_go);
packed_grammar!(JAVA, "java", tree_sitter_java, quipu_unpack_java);
packed_grammar!(JAVASCRIPT, "javascript", tree_sitter_javascript, quipu_unpack_javascript);
packed_grammar!(PYTHON, "python", tree_sitter_python, quipu_unpack_python);
packed_grammar!(RUST, "rust", tree_sitter_rust, quipu_unpack_rust);
packed_grammar!(TSX, "tsx", tree_sitter_tsx, quipu_unpack_tsx);
packed_grammar!(TYPESCRIPT, "typescript", tree_sitter_typescript, quipu_unpack_typescript);

impl PackedGrammar {
    /// Returns the grammar, with its tables unpacked, or `None` if they are damaged.
    pub(crate) fn load(&self) -> Option<Language> {
        // No parser sees the tables before they are filled: this is the only way to a grammar.
        self.ready.get_or_init(|| self.fill_tables()).then(|| self.language.into())
    }

    fn fill_tables(&self) -> bool {
        let mut tables = Vec::new();
        let read = DeflateDecoder::new(self.tables).read_to_end(&mut tables);
        // SAFETY: the bytes are valid for their length, the function reads no more than that, and
        // `OnceLock` lets one thread at a time write.
        #[expect(unsafe_code, reason = "the tables are arrays of C code")]
        read.is_ok_and(|_| unsafe { (self.unpack)(tables.as_ptr(), tables.len()) })
    }
}
