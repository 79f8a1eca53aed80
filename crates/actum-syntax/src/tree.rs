//! Text to a syntax tree by a grammar, in bounded time, and walks over it without recursion.

use crate::clock::Deadline;
use std::ops::ControlFlow;
use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

/// A text and its tree.
#[derive(Debug)]
pub(crate) struct Parsed<'t> {
    pub(crate) text: &'t str,
    tree: Tree,
}

/// The first place where a grammar could not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, from 1.
    pub(crate) line: u32,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Something is not there that should be, rather than there that should not.
    pub(crate) is_missing: bool,
}

impl<'t> Parsed<'t> {
    /// The tree of a text; none where the grammar took too long.
    pub(crate) fn of(language: &Language, text: &'t str) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(language).ok()?;
        // The library asks every hundred steps. Their number tells little: a scanner may look to the end of the text in each.
        let deadline = Deadline::from_now();
        let mut ask = |_: &tree_sitter::ParseState| match deadline.is_over() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = ParseOptions::new().progress_callback(&mut ask);
        let mut piece = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut piece, None, Some(options))?;
        Some(Parsed { text, tree })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The words of a node.
    pub(crate) fn words(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Every node, a parent before its children, in the order of the text.
    pub(crate) fn nodes(&self) -> Walk<'_> {
        Walk::below(self.root())
    }

    /// The first place where the grammar could not go on.
    pub(crate) fn fault(&self) -> Option<Fault> {
        if !self.root().has_error() {
            return None;
        }
        let node = self.nodes().find(|node| node.is_error() || node.is_missing())?;
        Some(Fault {
            line: line(node),
            from: node.start_byte(),
            to: node.end_byte(),
            is_missing: node.is_missing(),
        })
    }
}

/// The line of a node, from 1.
pub(crate) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX).saturating_add(1)
}

/// A walk over a node and everything below it. Goes by a cursor, so that the depth of a tree costs no stack.
pub(crate) struct Walk<'t> {
    cursor: tree_sitter::TreeCursor<'t>,
    depth: usize,
    next: Option<(Node<'t>, usize)>,
}

impl<'t> Walk<'t> {
    pub(crate) fn below(node: Node<'t>) -> Self {
        Walk { cursor: node.walk(), depth: 0, next: Some((node, 0)) }
    }

    /// The next node, and how many lie between it and the first.
    pub(crate) fn next_with_depth(&mut self) -> Option<(Node<'t>, usize)> {
        let current = self.next?;
        self.next = self.advance().map(|node| (node, self.depth));
        Some(current)
    }

    fn advance(&mut self) -> Option<Node<'t>> {
        if self.cursor.goto_first_child() {
            self.depth += 1;
            return Some(self.cursor.node());
        }
        while self.depth > 0 {
            if self.cursor.goto_next_sibling() {
                return Some(self.cursor.node());
            }
            self.cursor.goto_parent();
            self.depth -= 1;
        }
        None
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = Node<'t>;
    fn next(&mut self) -> Option<Node<'t>> {
        self.next_with_depth().map(|(node, _)| node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammar;

    #[test]
    fn a_walk_sees_every_node_once() {
        let parsed = Parsed::of(&Grammar::Lua.language(), "x = 1\nprint(x)\n").unwrap();
        let total = parsed.root().descendant_count();
        assert_eq!(parsed.nodes().count(), total);
        assert_eq!(parsed.fault(), None);
    }

    #[test]
    fn the_first_fault_is_found() {
        let parsed = Parsed::of(&Grammar::Lua.language(), "x = 1\ny = = 2\n").unwrap();
        assert_eq!(parsed.fault().unwrap().line, 2);
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = format!("x = {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        let parsed = Parsed::of(&Grammar::Lua.language(), &text);
        assert!(parsed.is_none_or(|parsed| parsed.nodes().count() > 100_000));
    }
}
