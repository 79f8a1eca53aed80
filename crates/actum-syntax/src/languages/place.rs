//! Where in a program a walk is: within a function, within something that catches failures, within a redirection.

use tree_sitter::Node;

/// The depths at which the walk entered what matters, innermost last.
#[derive(Debug, Default)]
pub(super) struct Place {
    functions: Vec<usize>,
    attempts: Vec<usize>,
    redirections: Vec<usize>,
    depth: usize,
}

const FUNCTIONS: [&str; 22] = [
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function_declaration",
    "generator_function",
    "function_definition",
    "function_item",
    "method_declaration",
    "constructor_declaration",
    "lambda_expression",
    "closure_expression",
    "func_literal",
    "method",
    "singleton_method",
    "lambda",
    "do_block",
    "block",
    "anonymous_function",
    "anonymous_function_creation_expression",
    "function",
    "class_body",
];

impl Place {
    /// Forgets what the walk has left behind when it comes to a node of this depth.
    pub(super) fn leave(&mut self, depth: usize) {
        for list in [&mut self.functions, &mut self.attempts, &mut self.redirections] {
            while list.last().is_some_and(|one| *one >= depth) {
                list.pop();
            }
        }
        self.depth = depth;
    }

    /// Remembers a node before the walk goes below it.
    pub(super) fn enter(&mut self, node: Node<'_>, depth: usize) {
        match node.kind() {
            kind if FUNCTIONS.contains(&kind) && node.is_named() => self.functions.push(depth),
            "try_statement" | "begin" if node.is_named() => self.attempts.push(depth),
            "redirected_statement" | "pipeline" => self.redirections.push(depth),
            _ => {}
        }
    }

    pub(super) fn is_in_function(&self) -> bool {
        !self.functions.is_empty()
    }

    pub(super) fn is_in_attempt(&self) -> bool {
        !self.attempts.is_empty()
    }

    pub(super) fn is_redirected(&self) -> bool {
        !self.redirections.is_empty()
    }

    /// Whether the node at hand stands directly below the whole program.
    pub(super) fn is_top(&self) -> bool {
        self.depth == 1
    }
}
