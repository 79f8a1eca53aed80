//! Names of modules that test runners for Python import: those of the standard library, of pytest, and of what it needs.

use super::Files;
use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

/// Sorted, in one text: names of folders and files are looked up in it.
const IMPORTED: &str = "__future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs \
    _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize \
    _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal \
    _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp \
    _interpchannels _interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi \
    _multibytecodec _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle \
    _posixshmem _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _pytest _queue _random \
    _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics \
    _string _strptime _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize \
    _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo abc aifc annotationlib \
    antigravity argparse array ast asynchat asyncio asyncore atexit attr attrs audioop base64 bdb binascii binhex \
    bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorama \
    colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg coverage crypt csv \
    ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum \
    errno exceptiongroup execnet faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc \
    genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr \
    imp importlib iniconfig inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma \
    mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt \
    ntpath nturl2path numbers opcode operator optparse os ossaudiodev packaging pathlib pdb pickle pickletools pip \
    pipes pkgutil platform plistlib pluggy poplib posix posixpath pprint profile pstats pty pwd py py_compile \
    pyclbr pydoc pydoc_data pyexpat pygments pytest queue quopri random re readline reprlib resource rlcompleter \
    runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket \
    socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct \
    subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this \
    threading time timeit tkinter token tokenize tomli tomllib trace traceback tracemalloc tty turtle turtledemo \
    types typing typing_extensions unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref \
    webbrowser winreg winsound wsgiref xdist xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// Whether no file of a folder is imported instead of a module of the runner. A folder that cannot be listed may hold one.
pub(super) fn is_not_shadowed(files: &dyn Files, folder: &Path) -> bool {
    files.names(folder).is_some_and(|names| !names.iter().any(|name| shadows(files, folder, name)))
}

fn shadows(files: &dyn Files, folder: &Path, name: &str) -> bool {
    let (module, ending) = name.split_once('.').unwrap_or((name, ""));
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| IMPORTED.split_whitespace().collect());
    if !NAMES.contains(module) {
        return false;
    }
    match ending {
        "" => {
            let inside = files.names(&folder.join(name)).unwrap_or_default();
            inside.iter().any(|name| name.starts_with("__init__.") || name.starts_with("__main__."))
        }
        // `json.py`, `json.pyc`, `json.cpython-312-x86_64-linux-gnu.so`
        ending => ["py", "pyc", "pyw", "so", "pyd"].contains(&ending.rsplit('.').next().unwrap_or(ending)),
    }
}
