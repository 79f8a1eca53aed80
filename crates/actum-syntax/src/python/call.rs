//! One call, as the files beside this one look at it.

use super::bindings::Bindings;
use ruff_python_ast::{Expr, ExprCall, Keyword};

/// A call, and who is called.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) callee: Callee<'a>,
    pub(super) call: &'a ExprCall,
    pub(super) line: u32,
    pub(super) bindings: &'a Bindings<'a>,
}

/// Who is called.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Callee<'a> {
    /// Something of an imported module, by its dotted name there.
    Imported(String),
    /// A method of something; where it is known, by what that was made: `flask.Flask`.
    Method {
        name: &'a str,
        on: &'a Expr,
        maker: Option<String>,
    },
    /// A name that the language has, or the program itself.
    Plain(&'a str),
    Unknown,
}

impl<'a> Call<'a> {
    pub(super) fn of(call: &'a ExprCall, line: u32, bindings: &'a Bindings<'a>) -> Self {
        let callee = match bindings.imported(&call.func) {
            Some(name) => Callee::Imported(name),
            None => match call.func.as_attribute_expr() {
                Some(attribute) => {
                    let maker = bindings.maker(&attribute.value);
                    Callee::Method { name: attribute.attr.as_str(), on: &attribute.value, maker }
                }
                None => {
                    call.func.as_name_expr().map_or(Callee::Unknown, |name| Callee::Plain(name.id.as_str()))
                }
            },
        };
        Call { callee, call, line, bindings }
    }

    /// The dotted name of something imported, or empty.
    pub(super) fn imported(&self) -> &str {
        match &self.callee {
            Callee::Imported(name) => name,
            Callee::Method { .. } | Callee::Plain(_) | Callee::Unknown => "",
        }
    }

    /// The name of a method, or empty.
    pub(super) fn method(&self) -> &'a str {
        match &self.callee {
            Callee::Method { name, .. } => name,
            Callee::Imported(_) | Callee::Plain(_) | Callee::Unknown => "",
        }
    }

    /// The name of something that is not imported, or empty.
    pub(super) fn plain(&self) -> &'a str {
        match &self.callee {
            Callee::Plain(name) => name,
            Callee::Imported(_) | Callee::Method { .. } | Callee::Unknown => "",
        }
    }

    /// By what the thing was made whose method this is, or empty.
    pub(super) fn maker(&self) -> &str {
        match &self.callee {
            Callee::Method { maker, .. } => maker.as_deref().unwrap_or(""),
            Callee::Imported(_) | Callee::Plain(_) | Callee::Unknown => "",
        }
    }

    /// The expression whose method this is.
    pub(super) fn on(&self) -> Option<&'a Expr> {
        match &self.callee {
            Callee::Method { on, .. } => Some(on),
            Callee::Imported(_) | Callee::Plain(_) | Callee::Unknown => None,
        }
    }

    /// What is called, in short: `torch.load`, `.cuda()`, `input()`.
    pub(super) fn shown(&self) -> String {
        match &self.callee {
            Callee::Imported(name) => name.clone(),
            Callee::Method { name, .. } => format!(".{name}()"),
            Callee::Plain(name) => format!("{name}()"),
            Callee::Unknown => "a call".to_owned(),
        }
    }

    pub(super) fn argument(&self, position: usize) -> Option<&'a Expr> {
        self.call.arguments.args.get(position)
    }

    pub(super) fn keywords(&self) -> impl Iterator<Item = (&'a str, &'a Expr)> {
        let keyword = |keyword: &'a Keyword| Some((keyword.arg.as_ref()?.as_str(), &keyword.value));
        self.call.arguments.keywords.iter().filter_map(keyword)
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&'a Expr> {
        self.keywords().find(|(keyword, _)| *keyword == name).map(|(_, value)| value)
    }

    /// The argument at a position, or else by its name.
    pub(super) fn either(&self, position: usize, name: &str) -> Option<&'a Expr> {
        self.argument(position).or_else(|| self.keyword(name))
    }

    /// The literal text of an argument.
    pub(super) fn text(&self, position: usize) -> Option<String> {
        self.bindings.text(self.argument(position)?)
    }

    pub(super) fn keyword_text(&self, name: &str) -> Option<String> {
        self.bindings.text(self.keyword(name)?)
    }
}
