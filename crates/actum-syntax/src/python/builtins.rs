//! The names that Python has without any import, in any of its versions, and those that notebooks add.

/// Whether the language has a name by itself.
pub(super) fn has(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Sorted, as it is searched by halves.
#[rustfmt::skip]
const NAMES: [&str; 180] = [
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup",
    "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
    "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
    "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
    "ExceptionGroup", "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning",
    "GeneratorExit", "IOError", "ImportError", "ImportWarning", "In", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError",
    "Out", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
    "PythonFinalizationError", "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError",
    "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError",
    "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError",
    "Warning", "WindowsError", "ZeroDivisionError", "__annotations__", "__builtins__", "__cached__", "__class__",
    "__debug__", "__doc__", "__file__", "__import__", "__loader__", "__module__", "__name__", "__package__",
    "__path__", "__qualname__", "__spec__", "abs", "aiter", "all", "anext", "any", "apply", "ascii", "basestring",
    "bin", "bool", "breakpoint", "buffer", "bytearray", "bytes", "callable", "chr", "classmethod", "cmp", "coerce",
    "compile", "complex", "delattr", "dict", "dir", "display", "divmod", "enumerate", "eval", "exec", "execfile",
    "exit", "file", "filter", "float", "format", "frozenset", "get_ipython", "getattr", "globals", "hasattr",
    "hash", "help", "hex", "id", "input", "int", "intern", "isinstance", "issubclass", "iter", "len", "list",
    "locals", "long", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print",
    "property", "quit", "range", "raw_input", "reduce", "reload", "repr", "reveal_type", "reversed", "round",
    "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "unichr",
    "unicode", "vars", "xrange", "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted());
        assert!(has("print") && has("ValueError") && has("__name__") && !has("np"));
    }
}
