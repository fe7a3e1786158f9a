//! Solutions in a host's buffer: letters `l u r d`, in upper case where a box is pushed.

use crate::interface::{Buffer, Refusal, ResultCode};
use outwit::verify::Verified;

/// The letters of moves and pushes.
const LETTERS: &[u8] = b"lurdLURD";

/// Reads the solutions in a buffer. Each ends with a zero, and another zero or the end of the buffer follows the
/// last.
///
/// # Safety
/// The buffer is absent, or its bytes up to its end or to the first two zeros can be read.
pub unsafe fn read(buffer: Buffer) -> Result<Vec<String>, Refusal> {
    if buffer.is_absent() {
        return Err(Refusal::invalid("there is no solution"));
    }
    let (mut found, mut solution) = (Vec::new(), String::new());
    for index in 0..buffer.size {
        // SAFETY: what the caller promises; the loop ends at the second zero.
        let letter = unsafe { buffer.at.cast::<u8>().add(index).read() };
        match letter {
            0 if solution.is_empty() => return Ok(found),
            0 => found.push(std::mem::take(&mut solution)),
            letter if LETTERS.contains(&letter) => solution.push(char::from(letter)),
            _ => return Err(Refusal::invalid("a solution has a letter that is no move")),
        }
    }
    if solution.is_empty() {
        return Ok(found);
    }
    Err(Refusal::invalid("a solution does not end within the buffer"))
}

/// The letters of a plan alone.
pub fn letters(plan: &Verified) -> Result<String, Refusal> {
    let keys: String = plan.text().split_ascii_whitespace().collect();
    match keys.bytes().all(|key| LETTERS.contains(&key)) {
        true => Ok(keys),
        false => {
            Err(Refusal::new(ResultCode::Failure, "a plan has letters that hosts do not know"))
        }
    }
}

/// Writes a solution into a buffer, with this many zeros behind it. Without a buffer nothing is written, and where
/// there is no room for all of it, neither.
///
/// # Safety
/// The buffer is absent, or its bytes can be written.
pub unsafe fn write(solution: &str, zeros: usize, buffer: Buffer) -> Result<(), Refusal> {
    if buffer.is_absent() {
        return Ok(());
    }
    let bytes: Vec<u8> = solution.bytes().chain(std::iter::repeat_n(0, zeros)).collect();
    if bytes.len() > buffer.size {
        let why = format!("the solution takes {} bytes, not {}", bytes.len(), buffer.size);
        return Err(Refusal::new(ResultCode::GameTooLong, why));
    }
    // SAFETY: the buffer has as many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.at.cast(), bytes.len()) }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: &mut [u8]) -> Buffer {
        Buffer { at: bytes.as_mut_ptr().cast(), size: bytes.len() }
    }

    fn read_all(bytes: &[u8]) -> Option<Vec<String>> {
        let mut bytes = bytes.to_vec();
        // SAFETY: the buffer has its size.
        unsafe { read(buffer(&mut bytes)) }.ok()
    }

    #[test]
    fn solutions_end_with_zeros() {
        assert_eq!(read_all(b"lurD\0\0garbage"), Some(vec!["lurD".to_string()]));
        assert_eq!(read_all(b"R\0RR\0\0"), Some(vec!["R".to_string(), "RR".to_string()]));
        assert_eq!(read_all(b"R\0"), Some(vec!["R".to_string()]));
        assert_eq!(read_all(b"\0"), Some(vec![]));
        assert_eq!(read_all(b"RR"), None);
        assert_eq!(read_all(b"2R\0\0"), None);
        assert_eq!(read_all(b""), None);
    }

    #[test]
    fn a_solution_is_written_whole_or_not_at_all() {
        let mut bytes = *b"......";
        // SAFETY: the buffer has its size.
        let mut write = |text, zeros| unsafe { write(text, zeros, buffer(&mut bytes)) };
        assert_eq!(write("lurD", 2), Ok(()));
        assert_eq!(write("lurDD", 2).expect_err("no room").code, ResultCode::GameTooLong);
        assert_eq!(&bytes, b"lurD\0\0");
    }
}
