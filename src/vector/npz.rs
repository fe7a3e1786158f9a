//! Datasets as files that `numpy.load` opens: NPY arrays (format version 1.0) in a ZIP archive.

use super::Dataset;
use std::io::{self, Cursor, Seek, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// First bytes of an NPY array: the magic string and the version of the format.
const HEAD: &[u8] = b"\x93NUMPY\x01\x00";
/// Numpy wants the numbers to begin at a multiple of this many bytes.
const ALIGNMENT: usize = 64;
/// Bytes of a character in an array of strings.
const CHARACTER_BYTES: usize = 4;

impl Dataset {
    /// The dataset as a compressed archive of arrays, with the names and the shapes that `outwit.dataset` in Python
    /// gives them: `observations`, `masks`, `levels`, `distances`, `lost`, `best`, `actions`. Equal datasets give
    /// equal bytes.
    ///
    /// # Errors
    /// An archive of 4 GiB or more cannot be written.
    ///
    /// ```
    /// use outwit::vector::Dataset;
    /// let archive = Dataset { actions: vec!["up".into(), "down".into()], ..Dataset::default() }.npz()?;
    /// assert!(archive.starts_with(b"PK"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn npz(&self) -> io::Result<Vec<u8>> {
        let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
        let (rows, cols) = (self.shape.0 as usize, self.shape.1 as usize);
        let (count, actions) = (self.len(), self.actions.len());
        archive.add("observations", "|u1", &[count, rows, cols], &self.observations)?;
        archive.add("masks", "|u1", &[count, actions], &self.masks)?;
        archive.add("levels", "<u4", &[count], &bytes(&self.levels, u32::to_le_bytes))?;
        archive.add("distances", "<i8", &[count], &bytes(&self.distances, i64::to_le_bytes))?;
        archive.add("lost", "|i1", &[count], &bytes(&self.lost, i8::to_le_bytes))?;
        archive.add("best", "<i4", &[count], &bytes(&self.best, i32::to_le_bytes))?;
        let longest = self.actions.iter().map(|action| action.chars().count()).max().unwrap_or(0);
        // Numpy has no strings of length 0.
        let longest = longest.max(1);
        let words = characters(&self.actions, longest);
        archive.add("actions", &format!("<U{longest}"), &[actions], &words)?;
        Ok(archive.0.finish()?.into_inner())
    }
}

/// Numbers as bytes, the lowest first.
fn bytes<T: Copy, const N: usize>(numbers: &[T], to_bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| to_bytes(number)).collect()
}

/// Strings as an array of strings of one length.
fn characters(words: &[String], length: usize) -> Vec<u8> {
    let mut all = Vec::with_capacity(words.len() * length * CHARACTER_BYTES);
    for word in words {
        let end = all.len() + length * CHARACTER_BYTES;
        all.extend(word.chars().flat_map(|letter| u32::from(letter).to_le_bytes()));
        all.resize(end, 0);
    }
    all
}

/// An archive of arrays.
struct Archive<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Archive<W> {
    /// Adds an array of this type, as numpy writes types.
    fn add(&mut self, name: &str, kind: &str, shape: &[usize], content: &[u8]) -> io::Result<()> {
        let shape: String = shape.iter().map(|length| format!("{length},")).collect();
        let about = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        let length = HEAD.len() + 2 + about.len() + 1;
        let padding = length.next_multiple_of(ALIGNMENT) - length;
        let about = format!("{about}{:padding$}\n", "");
        let about_length = u16::try_from(about.len()).map_err(io::Error::other)?;
        self.0.start_file(format!("{name}.npy"), SimpleFileOptions::default())?;
        self.0.write_all(HEAD)?;
        self.0.write_all(&about_length.to_le_bytes())?;
        self.0.write_all(about.as_bytes())?;
        self.0.write_all(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn an_array_has_the_header_that_numpy_reads() {
        let data = Dataset {
            actions: ["u", "rd"].map(String::from).to_vec(),
            shape: (1, 2),
            observations: vec![1, 2, 3, 4],
            masks: vec![1, 0, 1, 1],
            levels: vec![0, 300],
            distances: vec![-1, 7],
            lost: vec![-1, 0],
            best: vec![-1, 1],
        };
        let archive = data.npz().expect("an archive");
        assert_eq!(archive, data.npz().expect("an archive"));
        let mut archive = zip::ZipArchive::new(Cursor::new(archive)).expect("an archive");
        let mut array = |name: &str| {
            let mut content = Vec::new();
            archive.by_name(name).expect(name).read_to_end(&mut content).expect(name);
            let start = content.iter().position(|&byte| byte == b'\n').expect("a header") + 1;
            assert_eq!(start % ALIGNMENT, 0);
            assert_eq!(usize::from(u16::from_le_bytes([content[8], content[9]])), start - 10);
            let about = String::from_utf8_lossy(&content[10..start]).trim().to_string();
            (about, content[start..].to_vec())
        };
        let (about, content) = array("observations.npy");
        assert_eq!(about, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,1,2,), }");
        assert_eq!(content, [1, 2, 3, 4]);
        assert_eq!(array("levels.npy").1, [0, 0, 0, 0, 44, 1, 0, 0]);
        assert_eq!(array("distances.npy").1[..8], [255; 8]);
        let (about, content) = array("actions.npy");
        assert_eq!(about, "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }");
        assert_eq!(content, [117, 0, 0, 0, 0, 0, 0, 0, 114, 0, 0, 0, 100, 0, 0, 0]);
    }
}
