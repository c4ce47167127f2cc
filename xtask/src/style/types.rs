//! Types that a source file defines, and its public items without a doc comment.

use super::SourceFile;

/// A struct, enum, union, trait or type alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeDefinition {
    /// Name of the type.
    pub name: String,
    /// File that defines it.
    pub file: String,
    /// Crate of that file.
    pub crate_name: String,
}

/// Returns the types that a file defines, except the associated types of traits and their
/// implementations.
#[must_use]
pub fn type_definitions(file: &SourceFile) -> Vec<TypeDefinition> {
    let mut in_impl = false;
    let mut found = Vec::new();
    for line in file.lines() {
        if line.starts_with("impl") || line.starts_with("pub trait") || line.starts_with("trait") {
            in_impl = true;
        } else if line == "}" {
            in_impl = false;
        }
        if let Some((kind, name)) = definition(line)
            && !(kind == "type" && in_impl)
        {
            let crate_name = file.crate_name().to_owned();
            let file = file.path().to_owned();
            found.push(TypeDefinition { name: name.to_owned(), file, crate_name });
        }
    }
    found
}

fn definition(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let kind = words.next()?;
    let is_type = matches!(kind, "struct" | "enum" | "union" | "trait" | "type");
    let name = words.next().filter(|_| is_type)?;
    let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    name.starts_with(|c: char| c.is_ascii_uppercase()).then_some((kind, name))
}

/// Returns the places of public functions, types, traits and constants of a module without a doc
/// comment. Methods, fields and variants may go without: often their name says it.
#[must_use]
pub fn undocumented_items(file: &SourceFile) -> Vec<String> {
    let kinds = ["fn", "async", "const", "struct", "enum", "trait", "type", "static", "unsafe"];
    let mut documented = false;
    let mut faults = Vec::new();
    for (line, number) in file.product_lines().zip(1..) {
        if line.starts_with("///") || line.starts_with("#[doc") {
            documented = true;
        } else if line.starts_with(['#', ' ', ')']) || line.starts_with("//") {
            // Attributes and plain comments stand between a doc comment and its item.
        } else {
            let second = line.strip_prefix("pub ").and_then(|rest| rest.split_whitespace().next());
            if second.is_some_and(|word| kinds.contains(&word)) && !documented {
                faults.push(format!("{}:{number}: {line}", file.path()));
            }
            documented = false;
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn associated_types_are_no_definitions_of_their_own() {
        let text =
            "pub struct A<T>(T);\nimpl B for A<u8> {\n    type C = u8;\n}\npub type D = u8;\n";
        let found = type_definitions(&SourceFile::new("crates/x/src/a.rs", text));
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["A", "D"]);
    }

    #[test]
    fn a_public_item_without_a_doc_comment_is_named_and_a_field_is_not() {
        let text = "/// Doc.\n#[must_use]\npub fn a() {}\n\
                    pub fn b() {}\npub struct C {\n    pub d: u8,\n}\n";
        let found = undocumented_items(&SourceFile::new("a.rs", text));
        assert_eq!(found, ["a.rs:4: pub fn b() {}", "a.rs:5: pub struct C {"]);
    }
}
