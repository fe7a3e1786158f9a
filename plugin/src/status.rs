//! The host's record of how far a search is, written field by field.

use crate::interface::{PluginStatus, STATUS_TEXT_BYTES};
use std::mem::offset_of;

/// The host's status record, or none. A field is written where the host's record has room for it.
pub struct Status {
    at: *mut PluginStatus,
    /// Size of the record as the host states it, in bytes.
    size: usize,
}

impl Status {
    /// The record at a place, which may be null.
    ///
    /// # Safety
    /// The place is null, or that of a record which begins with its size in bytes and is the caller's own until
    /// the status is dropped. It need not be aligned.
    pub unsafe fn new(at: *mut PluginStatus) -> Status {
        // SAFETY: what the caller promises.
        let size = if at.is_null() { 0 } else { unsafe { at.cast::<u32>().read_unaligned() } };
        Status { at, size: size as usize }
    }

    /// The place of a field, where the record has it.
    fn field<T>(&self, offset: usize) -> Option<*mut T> {
        // A size of zero comes with a null pointer, too.
        let is_inside = offset + size_of::<T>() <= self.size;
        is_inside.then(|| self.at.cast::<u8>().wrapping_add(offset).cast())
    }

    fn set<T>(&mut self, offset: usize, value: T) {
        if let Some(at) = self.field::<T>(offset) {
            // SAFETY: the field lies within the record, which is the caller's own; see `Status::new`.
            unsafe { at.write_unaligned(value) }
        }
    }

    /// The flags that the host has set.
    pub fn flags(&self) -> u32 {
        let at = self.field::<u32>(offset_of!(PluginStatus, flags));
        // SAFETY: as in `set`.
        at.map_or(0, |at| unsafe { at.read_unaligned() })
    }

    /// Sets the flags.
    pub fn set_flags(&mut self, flags: u32) {
        self.set(offset_of!(PluginStatus, flags), flags);
    }

    /// Sets how many pushes and states were generated. Moves alone are no steps of these searches.
    pub fn set_counts(&mut self, pushes: u64, states: u64) {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.set(offset_of!(PluginStatus, moves_generated), 0_i64);
        self.set(offset_of!(PluginStatus, pushes_generated), number(pushes));
        self.set(offset_of!(PluginStatus, states_generated), number(states));
    }

    /// Sets the text for the user. A long one is cut, and letters beyond ASCII become question marks.
    pub fn set_text(&mut self, text: &str) {
        let mut bytes = [0; STATUS_TEXT_BYTES];
        for (byte, letter) in bytes[..STATUS_TEXT_BYTES - 1].iter_mut().zip(text.chars()) {
            let is_plain = letter == ' ' || letter.is_ascii_graphic();
            *byte = if is_plain { letter as u8 } else { b'?' };
        }
        self.set(offset_of!(PluginStatus, text), bytes);
    }

    /// Sets the time that was taken.
    pub fn set_time(&mut self, time: std::time::Duration) {
        let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        self.set(offset_of!(PluginStatus, time_ms), milliseconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A record of this size inside a larger block, at an odd address.
    fn written(size: u32) -> Vec<u8> {
        let mut block = vec![0xEE; 400];
        block[1..5].copy_from_slice(&size.to_ne_bytes());
        // SAFETY: the record lies within the block.
        let mut status = unsafe { Status::new(block.as_mut_ptr().wrapping_add(1).cast()) };
        status.set_flags(5);
        status.set_counts(7, u64::MAX);
        status.set_text("two\u{e9}");
        status.set_time(Duration::from_secs(2));
        block
    }

    #[test]
    fn all_fields_are_written_where_they_belong() {
        let block = written(292);
        assert_eq!(block[5..9], 5_u32.to_ne_bytes());
        assert_eq!(block[17..25], 7_i64.to_ne_bytes());
        assert_eq!(block[25..33], i64::MAX.to_ne_bytes());
        assert_eq!(&block[33..38], b"two?\0");
        assert_eq!(block[289..293], 2000_u32.to_ne_bytes());
        assert!(block[293..].iter().all(|&byte| byte == 0xEE));
    }

    #[test]
    fn nothing_is_written_past_a_shorter_record() {
        for size in [0, 3, 8, 32, 288] {
            let block = written(size);
            let end = 1 + size.max(4) as usize;
            assert!(block[end..].iter().all(|&byte| byte == 0xEE), "{size}");
        }
    }

    #[test]
    fn there_may_be_no_record() {
        // SAFETY: a null pointer is allowed.
        let mut status = unsafe { Status::new(std::ptr::null_mut()) };
        status.set_text("nobody reads this");
        assert_eq!(status.flags(), 0);
    }
}
