//! Files that a program names literally.

use super::call::Call;
use crate::text::beginning;
use actum_model::{FileMode, FileUse, Reading};
use ruff_python_ast::Expr;

/// More are not listed.
const MOST: usize = 500;

/// Longer texts are no paths.
const LONGEST: usize = 300;

/// A call that reads or writes the file that its first argument names.
pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    if let Some((position, name)) = takes_mode(call) {
        let mode = call.either(position, name).map(|mode| call.bindings.text(mode));
        let mode = match mode {
            None => FileMode::Read,
            Some(Some(mode)) => of_mode(&mode),
            Some(None) => FileMode::Unknown,
        };
        // `Path(p).open(mode)` names its file before the dot.
        let path = if position == 0 { call.on() } else { call.either(0, "file") };
        return note(call, path, mode, reading);
    }
    if let Some((position, keyword, mode)) = by_name(call.imported()) {
        return note(call, call.either(position, keyword), mode, reading);
    }
    if let Some(mode) = of_path_method(call) {
        return note(call, call.on(), mode, reading);
    }
    if let Some(mode) = of_method(call.method()) {
        let path = call.argument(0).or_else(|| call.keyword("path_or_buf").or_else(|| call.keyword("fname")));
        note(call, path, mode, reading);
    }
}

/// Where a call of `open` or one of its kin takes its mode.
fn takes_mode(call: &Call<'_>) -> Option<(usize, &'static str)> {
    let is_open = call.plain() == "open" && !call.bindings.has("open");
    let kin = [
        "io.open",
        "codecs.open",
        "gzip.open",
        "bz2.open",
        "lzma.open",
        "zipfile.ZipFile",
        "tarfile.open",
        "h5py.File",
    ];
    let kin = is_open || kin.contains(&call.imported()) || call.imported() == "rasterio.open";
    let is_path = call.method() == "open" && is_path(call);
    kin.then_some((1, "mode")).or(is_path.then_some((0, "mode")))
}

fn is_path(call: &Call<'_>) -> bool {
    call.maker().starts_with("pathlib.") || call.on().is_some_and(|on| on.is_bin_op_expr())
}

fn of_mode(mode: &str) -> FileMode {
    match mode.trim_matches(['b', 't', 'U', '|']).trim_matches(['b', 't']) {
        "r" | "" | "r:gz" | "r:*" | "r:bz2" => FileMode::Read,
        "w" | "x" | "wb+" | "w+" | "x+" | "w:gz" | "w:bz2" => FileMode::Write,
        "a" | "a+" => FileMode::Append,
        "r+" => FileMode::Update,
        other if other.starts_with('w') || other.starts_with('x') => FileMode::Write,
        other if other.starts_with('a') => FileMode::Append,
        other if other.contains('+') => FileMode::Update,
        _ => FileMode::Read,
    }
}

/// Functions that take a path: where it stands, and what becomes of it.
fn by_name(name: &str) -> Option<(usize, &'static str, FileMode)> {
    use FileMode::{Folder, Read, Update, Write};
    let (module, function) = name.rsplit_once('.')?;
    let root = module.split('.').next().unwrap_or(module);
    Some(match (root, function) {
        ("pandas" | "geopandas" | "polars" | "dask" | "modin" | "cudf", function)
            if function.starts_with("read_") =>
        {
            (0, "filepath_or_buffer", Read)
        }
        ("polars", function) if function.starts_with("scan_") => (0, "source", Read),
        ("pandas", "ExcelFile") => (0, "path_or_buffer", Read),
        ("pandas", "ExcelWriter") => (0, "path", Write),
        ("numpy", "load" | "loadtxt" | "genfromtxt" | "fromfile" | "memmap") => (0, "file", Read),
        ("numpy", "save" | "savetxt" | "savez" | "savez_compressed") => (0, "file", Write),
        ("cv2", "imread" | "VideoCapture" | "CascadeClassifier") => (0, "filename", Read),
        ("cv2", "imwrite" | "VideoWriter") => (0, "filename", Write),
        ("PIL", "open") | ("imageio" | "skimage" | "plotly", "imread" | "mimread" | "get_reader") => {
            (0, "fp", Read)
        }
        ("imageio" | "skimage", "imsave" | "imwrite" | "mimsave" | "get_writer") => (0, "uri", Write),
        ("matplotlib", "savefig" | "imsave") => (0, "fname", Write),
        ("matplotlib", "imread") => (0, "fname", Read),
        ("torch", "load") | ("joblib", "load") | ("keras" | "tensorflow", "load_model") => (0, "f", Read),
        ("torch", "save") | ("joblib", "dump") => (1, "f", Write),
        ("sqlite3" | "aiosqlite" | "duckdb", "connect") => (0, "database", Update),
        ("scipy", "loadmat") | ("soundfile" | "librosa" | "wave", "read" | "load" | "open") => {
            (0, "file_name", Read)
        }
        ("scipy", "savemat") | ("soundfile", "write") => (0, "file_name", Write),
        ("scipy", "read") if module.ends_with("wavfile") => (0, "filename", Read),
        ("scipy", "write") if module.ends_with("wavfile") => (0, "filename", Write),
        ("openpyxl" | "xlrd", "load_workbook" | "open_workbook") => (0, "filename", Read),
        ("docx" | "pptx", "Document" | "Presentation") => (0, "docx", Read),
        ("os", "makedirs" | "mkdir") => (0, "name", Folder),
        ("os", "listdir" | "scandir" | "walk") | ("glob", "glob" | "iglob") => (0, "path", Read),
        ("shutil", "copy" | "copyfile" | "copy2" | "move" | "copytree" | "unpack_archive") => {
            (0, "src", Read)
        }
        ("tomllib" | "toml" | "dotenv" | "yaml", "load" | "load_dotenv") => (0, "f", Read),
        ("logging", "FileHandler") => (0, "filename", Write),
        ("xml" | "lxml", "parse") => (0, "source", Read),
        ("trimesh" | "nibabel" | "networkx", "load" | "read_gml" | "read_edgelist" | "read_graphml") => {
            (0, "path", Read)
        }
        _ => return None,
    })
}

/// Methods of `pathlib.Path`.
fn of_path_method(call: &Call<'_>) -> Option<FileMode> {
    let mode = match call.method() {
        "read_text" | "read_bytes" | "iterdir" => FileMode::Read,
        "write_text" | "write_bytes" | "touch" => FileMode::Write,
        "mkdir" => FileMode::Folder,
        _ => return None,
    };
    call.on().and_then(|on| call.bindings.text(on)).map(|_| mode)
}

/// Methods that write, of things that are not known.
fn of_method(method: &str) -> Option<FileMode> {
    const WRITE: [&str; 14] = [
        "to_csv",
        "to_excel",
        "to_parquet",
        "to_json",
        "to_pickle",
        "to_feather",
        "to_hdf",
        "to_html",
        "savefig",
        "write_csv",
        "write_parquet",
        "write_html",
        "write_image",
        "save_model",
    ];
    WRITE.contains(&method).then_some(FileMode::Write)
}

fn note(call: &Call<'_>, path: Option<&Expr>, mode: FileMode, reading: &mut Reading) {
    let Some(path) = path.and_then(|path| call.bindings.text(path)) else { return };
    push(FileUse { path, mode, by: call.shown(), line: call.line }, reading);
}

/// Adds a file that is one: not an address, not a stream without a name.
pub(super) fn push(mut file: FileUse, reading: &mut Reading) {
    let path = file.path.trim();
    let is_path = !path.is_empty() && path.len() <= LONGEST && path != ":memory:" && !path.contains('\n');
    if !is_path || path.contains("://") || path.contains('\0') {
        return;
    }
    file.by = beginning(&file.by, 100).to_owned();
    let is_new = !reading.files.iter().any(|known| known.path == file.path && known.mode == file.mode);
    if is_new && reading.files.len() < MOST {
        reading.files.push(file);
    }
}

/// Whether a text looks like a path: it has an ending that files have, or a slash and nothing that a sentence has.
pub(super) fn looks_like_path(text: &str) -> bool {
    const ENDINGS: [&str; 26] = [
        "csv", "tsv", "txt", "json", "jsonl", "yaml", "yml", "toml", "xml", "html", "xlsx", "xls", "parquet",
        "png", "jpg", "jpeg", "gif", "wav", "mp3", "mp4", "pkl", "npy", "npz", "pt", "h5", "db",
    ];
    if text.contains("://") || text.contains(char::is_whitespace) || text.is_empty() || text.starts_with('%')
    {
        return false;
    }
    let ending = text.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with("~/")
        || (text.starts_with('/') && text.len() > 1)
        || (text.ends_with('/') && text.len() > 1)
}
