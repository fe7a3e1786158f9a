//! Boards as hosts hand them over: a width, a height, and letters.

use crate::interface::{Refusal, ResultCode};
use outwit::diagnostic::Source;
use outwit::games::sokoban::format::MAX_SIDE;
use outwit::games::{Area, GameId};
use std::ffi::c_char;

/// The least rows and columns of a board that a player can stand in.
pub const MIN_SIDE: usize = 3;

/// Letters of a board, row after row, all of the same length.
pub type Rows = Vec<Vec<u8>>;

/// Rows and columns of a board, within what outwit plans for.
fn sides(width: u32, height: u32) -> Result<(usize, usize), Refusal> {
    let side = |side: u32| usize::try_from(side).ok().filter(|n| (MIN_SIDE..=MAX_SIDE).contains(n));
    side(width).zip(side(height)).ok_or_else(|| {
        let why = format!(
            "a board of {width} x {height} squares: {MIN_SIDE} to {MAX_SIDE} each way are possible"
        );
        Refusal::new(ResultCode::ConstraintsViolation, why)
    })
}

/// Reads a board that is one text, row after row without line ends.
///
/// # Safety
/// The place is null, or that of a text that ends with a zero.
pub unsafe fn read_flat(width: u32, height: u32, board: *const c_char) -> Result<Rows, Refusal> {
    let (width, height) = sides(width, height)?;
    if board.is_null() {
        return Err(Refusal::invalid("there is no board"));
    }
    let board = board.cast::<u8>();
    // SAFETY: no byte behind a zero is read.
    let byte = |index: usize| unsafe { board.add(index).read() };
    let letters: Vec<u8> = (0..width * height).map(byte).take_while(|&byte| byte != 0).collect();
    if letters.len() < width * height || byte(width * height) != 0 {
        return Err(Refusal::invalid("the board's length is not its width times its height"));
    }
    Ok(letters.chunks(width).map(<[u8]>::to_vec).collect())
}

/// Reads a board that is a list of rows. A row that ends early goes on with floor.
///
/// # Safety
/// The place is null, or that of as many places as the board has rows; each of these is null, or that of a text
/// which has as many letters as the board has columns, or ends earlier with a zero.
pub unsafe fn read_rows(
    width: u32,
    height: u32,
    rows: *const *const c_char,
) -> Result<Rows, Refusal> {
    let (width, height) = sides(width, height)?;
    if rows.is_null() {
        return Err(Refusal::invalid("there is no board"));
    }
    let row = |number: usize| {
        // SAFETY: the list has as many entries as the board has rows.
        let row = unsafe { rows.add(number).read_unaligned() }.cast::<u8>();
        if row.is_null() {
            return Err(Refusal::invalid("a row of the board is missing"));
        }
        // SAFETY: no byte behind a zero, and none behind the row, is read.
        let byte = |index: usize| unsafe { row.add(index).read() };
        let mut letters: Vec<u8> = (0..width).map(byte).take_while(|&byte| byte != 0).collect();
        letters.resize(width, b' ');
        Ok(letters)
    };
    (0..height).map(row).collect()
}

/// Makes a level of the letters of a board. Other than in files of levels, each letter is one square: there are
/// no run lengths, and each box has a target.
pub fn level(rows: &Rows) -> Result<Box<dyn Area>, Refusal> {
    let (mut boxes, mut targets, mut text) = (0, 0, String::new());
    for row in rows {
        for &letter in row {
            boxes += usize::from(matches!(letter, b'$' | b'*'));
            targets += usize::from(matches!(letter, b'.' | b'*' | b'+'));
            text.push(match letter {
                b'#' | b'$' | b'*' | b'.' | b'@' | b'+' => char::from(letter),
                b' ' | b'-' | b'_' => ' ',
                _ => return Err(Refusal::invalid("the board has a letter that has no meaning")),
            });
        }
        text.push('\n');
    }
    if boxes == 0 || boxes != targets {
        return Err(Refusal::invalid(format!("the board has {boxes} boxes and {targets} targets")));
    }
    let levels = GameId::Sokoban.game().read(&Source::new("board", text));
    let levels = levels.map_err(|wrong| Refusal::invalid(wrong.message))?;
    levels.only().map_err(|wrong| Refusal::invalid(wrong.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(width: u32, height: u32, board: &[u8]) -> Result<Rows, Refusal> {
        let text = [board, b"\0"].concat();
        // SAFETY: the text ends with a zero.
        unsafe { read_flat(width, height, text.as_ptr().cast()) }
    }

    fn code(read: Result<Rows, Refusal>) -> Option<ResultCode> {
        read.and_then(|rows| level(&rows)).err().map(|refusal| refusal.code)
    }

    #[test]
    fn a_board_becomes_a_level() {
        assert_eq!(code(flat(5, 3, b"######@$.######")), None);
        assert_eq!(code(flat(6, 4, b"_#####_#@$.#_#####------")), None);
    }

    #[test]
    fn what_is_no_board_is_refused() {
        for board in [
            &b"######@$.#####"[..], // Too short.
            b"######@$.#######",    // Too long.
            b"######_$.######",     // No player.
            b"#####@@$.######",     // A second player, in the wall.
            b"######@$$######",     // No target.
            b"######@$*.#####",     // Not closed, and a box too many.
            b"######@  ######",     // Nothing to do.
            b"######@$.####3#",     // Not a run length.
            b"######@\xff.######",
        ] {
            assert_eq!(code(flat(5, 3, board)), Some(ResultCode::Invalid), "{board:?}");
        }
    }

    #[test]
    fn sides_have_limits() {
        for (width, height) in [(0, 0), (2, 8), (5, 251), (u32::MAX, u32::MAX), (65_536, 65_536)] {
            let refused = code(flat(width, height, b"######@$.######"));
            assert_eq!(refused, Some(ResultCode::ConstraintsViolation), "{width}x{height}");
        }
    }

    #[test]
    fn rows_may_end_early_and_may_not_be_missing() {
        let read = |third: *const c_char| {
            let rows = [c"######".as_ptr(), c"#@$.#".as_ptr(), third];
            // SAFETY: there are as many rows, and each ends with a zero.
            code(unsafe { read_rows(6, 3, rows.as_ptr()) })
        };
        assert_eq!(read(c"#####".as_ptr()), None);
        assert_eq!(read(std::ptr::null()), Some(ResultCode::Invalid));
        // SAFETY: a null pointer is allowed.
        assert_eq!(code(unsafe { read_rows(6, 3, std::ptr::null()) }), Some(ResultCode::Invalid));
    }
}
