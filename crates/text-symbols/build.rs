//! Compiles the grammars with their parse tables apart: most of a grammar are two tables of small
//! numbers, of which deflate leaves a fourteenth. The tables become files that the crate includes,
//! and the C code keeps empty arrays that they are unpacked into on first use. The sources are
//! those of the grammar crates, which are build dependencies for that alone.

#[path = "build/grammar_sources.rs"]
mod grammar_sources;
#[path = "build/parse_tables.rs"]
mod parse_tables;

use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, thread};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use grammar_sources::GrammarSources;
use parse_tables::ParserSource;

/// A grammar: the name in its symbols, its package, and the folder of its sources there.
struct Grammar(&'static str, &'static str, &'static str);

const GRAMMARS: [Grammar; 10] = [
    Grammar("bash", "tree-sitter-bash", "src"),
    Grammar("c", "tree-sitter-c", "src"),
    Grammar("cpp", "tree-sitter-cpp", "src"),
    Grammar("go", "tree-sitter-go", "src"),
    Grammar("java", "tree-sitter-java", "src"),
    Grammar("javascript", "tree-sitter-javascript", "src"),
    Grammar("python", "tree-sitter-python", "src"),
    Grammar("rust", "tree-sitter-rust", "src"),
    Grammar("tsx", "tree-sitter-typescript", "tsx/src"),
    Grammar("typescript", "tree-sitter-typescript", "typescript/src"),
];

type AnyError = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), AnyError> {
    for input in ["build.rs", "build"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let sources = GrammarSources::locate()?;
    thread::scope(|scope| {
        let split = |grammar| {
            let (sources, out) = (&sources, &out);
            scope.spawn(move || split_grammar(grammar, sources, out))
        };
        let running: Vec<_> = GRAMMARS.iter().map(split).collect();
        running.into_iter().try_for_each(|one| one.join().map_err(|_| "a thread panicked")?)
    })?;
    GRAMMARS.iter().try_for_each(|grammar| compile(grammar, &sources, &out))
}

/// Writes the parser without its tables, and the packed tables.
fn split_grammar(grammar: &Grammar, sources: &GrammarSources, out: &Path) -> Result<(), AnyError> {
    let Grammar(name, package, folder) = grammar;
    let path = sources.folder(package)?.join(folder).join("parser.c");
    let source = fs::read_to_string(&path)?;
    let parser = ParserSource::split(&source).map_err(|e| format!("{}: {e}", path.display()))?;
    fs::write(out.join(format!("{name}.c")), parser.code + &unpack_function(name))?;
    let packed = File::create(out.join(format!("{name}.tables")))?;
    let mut packer = DeflateEncoder::new(packed, Compression::best());
    packer.write_all(&parser.tables)?;
    packer.finish()?;
    Ok(())
}

/// Returns the C function that fills the arrays of a grammar from bytes, low byte first, and
/// refuses bytes of another length.
fn unpack_function(name: &str) -> String {
    format!(
        "
        #include <stddef.h>
        static const uint8_t *quipu_fill(uint16_t *table, size_t count, const uint8_t *from) {{
          for (size_t i = 0; i < count; i++, from += 2)
            table[i] = (uint16_t)(from[0] | from[1] << 8);
          return from;
        }}
        bool quipu_unpack_{name}(const uint8_t *from, size_t bytes) {{
          if (bytes != sizeof ts_parse_table + sizeof ts_small_parse_table) return false;
          from = quipu_fill(&ts_parse_table[0][0], sizeof ts_parse_table / 2, from);
          quipu_fill(ts_small_parse_table, sizeof ts_small_parse_table / 2, from);
          return true;
        }}
        "
    )
}

fn compile(grammar: &Grammar, sources: &GrammarSources, out: &Path) -> Result<(), AnyError> {
    let Grammar(name, package, folder) = grammar;
    let folder = sources.folder(package)?.join(folder);
    let mut compiler = cc::Build::new();
    compiler.std("c11").include(&folder).warnings(false);
    if compiler.get_compiler().is_like_msvc() {
        compiler.flag("-utf-8");
    }
    compiler.file(out.join(format!("{name}.c")));
    let scanner = folder.join("scanner.c");
    if scanner.exists() {
        compiler.file(scanner);
    }
    Ok(compiler.try_compile(&format!("quipu-grammar-{name}"))?)
}
