//! The library in WebAssembly, as `scripts/wasm` makes it: with it the page steps games by itself.

use crate::service::limits::MAX_LIBRARY_BYTES;
use crate::service::middleware::packed::tag;
use axum::body::Bytes;
use std::path::{Path, PathBuf};

/// Path at which the library is served.
pub const LIBRARY_PATH: &str = "/outwit.wasm";
/// Name of the library as a file.
const FILE: &str = "outwit.wasm";
/// First bytes of a WebAssembly module.
const MAGIC: &[u8] = b"\0asm";

/// The library in WebAssembly.
#[derive(Debug, Clone)]
pub struct Library {
    /// The library's bytes.
    pub(super) content: Bytes,
    /// The tag of the bytes.
    pub(super) tag: String,
}

impl Library {
    /// Reads it from a file.
    ///
    /// # Errors
    /// Why the file cannot be it.
    pub fn read(file: &Path) -> Result<Library, String> {
        let told = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
        let content = std::fs::read(file).map_err(|error| told(&error))?;
        if !content.starts_with(MAGIC) {
            return Err(told(&"this is no WebAssembly"));
        }
        if content.len() > MAX_LIBRARY_BYTES {
            return Err(told(&format!("it has more than {MAX_LIBRARY_BYTES} bytes")));
        }
        let words = content.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(Library { tag: tag(&[&words]), content: content.into() })
    }

    /// Where the library is installed with the program: beside it, or in `../share/outwit`.
    pub fn installed() -> Option<PathBuf> {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?;
        let places = [folder.join(FILE), folder.join("../share/outwit").join(FILE)];
        places.into_iter().find(|place| place.is_file())
    }
}
