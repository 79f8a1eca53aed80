//! Paths relative to a workspace, as bytes: the program chose the names. Pure.

/// The longest path of a folder that is entered: a name of 255 bytes in it still makes a path that the kernel takes
/// in one piece (`PATH_MAX` is 4096 with the final zero), so no path is ever resolved in two steps.
const LONGEST_FOLDER: usize = 4095 - 256;

/// Splits a path into the path of its folder and its last name.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[], path),
    }
}

/// The path of `name` in the folder `path`.
pub fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() { name.to_vec() } else { [path, b"/", name].concat() }
}

/// The paths of the folders above, nearest first, without the root.
pub fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(split(path).0), |path| Some(split(path).0)).take_while(|path| !path.is_empty())
}

/// Whether a path is relative and made of plain names.
pub fn is_plain(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b"..") && !name.contains(&0))
}

/// Whether a folder may be entered when nothing deeper than `max_depth` names is listed.
pub fn fits(folder: &[u8], max_depth: usize) -> bool {
    let depth = folder.iter().filter(|byte| **byte == b'/').count() + 1;
    depth < max_depth && folder.len() <= LONGEST_FOLDER
}
