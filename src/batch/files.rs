//! Files that are whole at any moment: written beside their place, synced, then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Beginning of the names of unfinished files; the tag of the run follows.
const UNFINISHED: &str = ".outwit-";
/// End of the names of unfinished files.
const UNFINISHED_END: &str = ".tmp";

/// Puts `content` in the place of the file, which holds the old or the new content at any moment,
/// whatever ends the process. Folders that are missing are made. A device or a pipe is written to, and stays.
///
/// `tag` names the run in the unfinished file's name, for [`clean`].
///
/// # Errors
/// An error of the file system.
pub fn replace(file: &Path, content: &[u8], tag: &str) -> io::Result<()> {
    if is_device(file) {
        return File::options().write(true).open(file)?.write_all(content);
    }
    let folder = folder_of(file);
    fs::create_dir_all(folder)?;
    let prefix = format!("{UNFINISHED}{tag}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED_END);
    // Readable by all, as other files are: a temporary file is its owner's alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut unfinished = builder.tempfile_in(folder)?;
    unfinished.write_all(content)?;
    unfinished.as_file().sync_all()?;
    unfinished.persist(file).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// Checks that a file can be written, before a long search for its content: makes an unfinished file in its folder and
/// removes it.
///
/// # Errors
/// An error of the file system.
pub fn try_place(file: &Path) -> io::Result<()> {
    if file.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_device(file) {
        return Ok(());
    }
    let folder = folder_of(file);
    fs::create_dir_all(folder)?;
    tempfile::Builder::new().prefix(UNFINISHED).suffix(UNFINISHED_END).tempfile_in(folder)?.close()
}

/// Whether it is neither a file nor a folder, as `/dev/null` is: another file in its place would break
/// other programs.
fn is_device(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Removes what runs of this tag have left unfinished in a folder and below it.
pub fn clean(folder: &Path, tag: &str) {
    let start = format!("{UNFINISHED}{tag}.");
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        let name = entry.file_name().to_string_lossy();
        if name.starts_with(&start) && name.ends_with(UNFINISHED_END) && entry.file_type().is_file()
        {
            // A leftover file that cannot be removed is harmless.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The renaming itself survives a crash of the machine only once the folder is on the disk. Not
/// every system can do that, and none needs it for whole files.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::FileTypeExt;

    #[test]
    fn a_pipe_gets_the_content_and_stays_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        try_place(&pipe).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        replace(&pipe, b"a plan\n", "test").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), "a plan\n");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
