//! The two parse tables in the C source of a generated parser. The generator writes one entry or
//! one row in a line, in terms of a few macros and one enumeration, so that they are read without a
//! C compiler; what does not look like that is an error.

use std::collections::HashMap;

/// The text of a parser with empty tables, and the bytes that belong there.
pub struct ParserSource {
    pub code: String,
    /// Entries of the table of large states and of that of small states, low byte first.
    pub tables: Vec<u8>,
}

/// Numbers by the names that they have in the source.
struct Names<'a>(HashMap<&'a str, usize>);

const LARGE: &str = "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
const SMALL: &str = "static const uint16_t ts_small_parse_table[] = {\n";
const END: &str = "\n};\n";
/// Pragmas that keep compilers from optimising, for the sake of the tables.
const UNOPTIMISED: [&str; 3] = [
    "#pragma optimize(\"\", off)\n",
    "#pragma clang optimize off\n",
    "#pragma GCC optimize (\"O0\")\n",
];

impl ParserSource {
    /// Takes the tables out of a source.
    pub fn split(source: &str) -> Result<Self, String> {
        let names = Names::read(source)?;
        let (head, rest) = source.split_once(LARGE).ok_or("no table of large states")?;
        let (large, rest) = rest.split_once(END).ok_or("an open table of large states")?;
        let (between, rest) = rest.split_once(SMALL).ok_or("no table of small states")?;
        let (small, tail) = rest.split_once(END).ok_or("an open table of small states")?;
        let (large, small) = (names.large_table(large)?, names.small_table(small)?);
        let empty_large = "static uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];\n";
        let empty_small = format!("static uint16_t ts_small_parse_table[{}];\n", small.len());
        let head = UNOPTIMISED.iter().fold(head.to_owned(), |head, line| head.replace(line, ""));
        Ok(Self {
            code: [&head, empty_large, between, &empty_small, tail].concat(),
            tables: large.iter().chain(&small).flat_map(|entry| entry.to_le_bytes()).collect(),
        })
    }
}

impl<'a> Names<'a> {
    /// Reads the counts and the numbers of the symbols.
    fn read(source: &'a str) -> Result<Self, String> {
        let (_, symbols) =
            source.split_once("enum ts_symbol_identifiers {\n").ok_or("no symbols")?;
        let (symbols, _) = symbols.split_once(END).ok_or("an open list of symbols")?;
        let symbols = symbols.lines().filter_map(|line| line.trim().split_once(" = "));
        let counts = source.lines().take_while(|line| !line.starts_with("enum "));
        let counts = counts.filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
        let number = |(name, number): (&'a str, &str)| {
            Some((name, number.trim_end_matches(',').parse().ok()?))
        };
        let end = [("ts_builtin_sym_end", 0)];
        Ok(Self(symbols.chain(counts).filter_map(number).chain(end).collect()))
    }

    /// Returns the value of `12`, `STATE(12)`, `ACTIONS(12)` or a name.
    fn value(&self, text: &str) -> Result<usize, String> {
        let inner = ["STATE(", "ACTIONS("].iter().find_map(|call| text.strip_prefix(call));
        let plain = inner.map_or(Some(text), |inner| inner.strip_suffix(')'));
        let number = plain.and_then(|plain| plain.parse().ok());
        number.or_else(|| self.0.get(text).copied()).ok_or_else(|| format!("{text}: no number"))
    }

    fn entry(&self, text: &str) -> Result<u16, String> {
        u16::try_from(self.value(text)?).map_err(|_| format!("{text}: too large"))
    }

    /// Reads `[state] = {`, and in it lines of the form `[symbol] = entry,`.
    fn large_table(&self, text: &str) -> Result<Vec<u16>, String> {
        let (states, symbols) = (self.value("LARGE_STATE_COUNT")?, self.value("SYMBOL_COUNT")?);
        let mut table = vec![0; states * symbols];
        let mut row = 0;
        for line in text.lines().map(str::trim).filter(|line| *line != "},") {
            let (place, entry) = split_designated(line).ok_or_else(|| line.to_owned())?;
            if entry == "{" {
                row = self.value(place)?;
            } else {
                let at = row * symbols + self.value(place)?;
                *table.get_mut(at).ok_or("an entry outside")? =
                    self.entry(entry.trim_end_matches(','))?;
            }
        }
        Ok(table)
    }

    /// Reads entries one behind the other, at times with their place: `[12] = entry, entry,`.
    fn small_table(&self, text: &str) -> Result<Vec<u16>, String> {
        let mut table = Vec::new();
        for line in text.lines().map(str::trim) {
            let (place, entries) = split_designated(line).unwrap_or(("", line));
            if !place.is_empty() && self.value(place)? != table.len() {
                return Err(format!("{line}: not behind the entry before it"));
            }
            for entry in entries.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                table.push(self.entry(entry)?);
            }
        }
        Ok(table)
    }
}

/// Splits `[place] = entry`.
fn split_designated(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("] = ")
}
