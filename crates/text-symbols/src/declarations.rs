//! Syntax nodes that are declarations, per grammar, and the position of the name in each.

use crate::{Language, SymbolKind};
use tree_sitter::Node;

/// Maximum nesting of a C declarator around its name: pointers, arrays, parentheses.
const DECLARATOR_DEPTH_MAX: usize = 16;

/// Returns the kind of symbol that a node declares, and the node of its name.
pub(crate) fn declared_symbol<'t>(
    language: Language,
    node: Node<'t>,
) -> Option<(SymbolKind, Node<'t>)> {
    let kind = kind_of(language, node)?;
    Some((kind, name_of(language, node)?))
}

fn kind_of(language: Language, node: Node<'_>) -> Option<SymbolKind> {
    use SymbolKind::{Function, Module, Type};
    let kind = match (language, node.kind()) {
        (Language::Rust, "function_item" | "function_signature_item" | "macro_definition") => {
            Function
        }
        (
            Language::Rust,
            "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item",
        ) => Type,
        (Language::Rust, "mod_item") => Module,
        (Language::Python, "function_definition") => Function,
        (Language::Python, "class_definition") => Type,
        (Language::JavaScript | Language::TypeScript | Language::Tsx, name) => {
            return javascript_kind(name, node);
        }
        (Language::Go, "function_declaration" | "method_declaration") => Function,
        (Language::Go, "type_spec" | "type_alias") => Type,
        (Language::Go, "package_clause") => Module,
        (Language::Java, "method_declaration" | "constructor_declaration") => Function,
        (
            Language::Java,
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration",
        ) => Type,
        (Language::Java, "package_declaration") => Module,
        (Language::C | Language::Cpp, name) => return c_family_kind(name, node),
        (Language::Shell, "function_definition") => Function,
        _ => return None,
    };
    Some(kind)
}

fn javascript_kind(name: &str, node: Node<'_>) -> Option<SymbolKind> {
    match name {
        "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => Some(SymbolKind::Function),
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?.kind();
            ["arrow_function", "function_expression", "generator_function"]
                .contains(&value)
                .then_some(SymbolKind::Function)
        }
        "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration" => Some(SymbolKind::Type),
        "internal_module" | "module" => Some(SymbolKind::Module),
        _ => None,
    }
}

fn c_family_kind(name: &str, node: Node<'_>) -> Option<SymbolKind> {
    match name {
        "function_definition" => Some(SymbolKind::Function),
        // A prototype; other declarations are variables.
        "declaration" | "field_declaration" => {
            (innermost_declarator(node)?.1 == "function_declarator").then_some(SymbolKind::Function)
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            // Without a body the node only refers to the type.
            node.child_by_field_name("body").map(|_| SymbolKind::Type)
        }
        "type_definition" | "alias_declaration" | "concept_definition" => Some(SymbolKind::Type),
        "namespace_definition" => Some(SymbolKind::Module),
        _ => None,
    }
}

fn name_of<'t>(language: Language, node: Node<'t>) -> Option<Node<'t>> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    match (language, node.kind()) {
        (Language::C | Language::Cpp, _) => innermost_declarator(node).map(|(name, _)| name),
        (Language::Go | Language::Java, "package_clause" | "package_declaration") => {
            node.named_child(0)
        }
        _ => None,
    }
}

/// Returns the name inside a C declarator, and the kind of the declarator directly around it.
fn innermost_declarator<'t>(node: Node<'t>) -> Option<(Node<'t>, &'t str)> {
    let mut inner = node.child_by_field_name("declarator")?;
    let mut enclosing = node.kind();
    for _ in 0..DECLARATOR_DEPTH_MAX {
        let next = inner.child_by_field_name("declarator").or_else(|| {
            let wraps = matches!(inner.kind(), "parenthesized_declarator" | "reference_declarator");
            if wraps { inner.named_child(0) } else { None }
        });
        match next {
            Some(next) => (enclosing, inner) = (inner.kind(), next),
            None => return Some((inner, enclosing)),
        }
    }
    None
}
