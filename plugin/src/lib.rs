//! outwit as a plug-in of Sokoban programs: the functions that hosts call.
//!
//! | file | contents |
//! |---|---|
//! | `interface` | numbers and the record of the interface |
//! | `board` | boards as hosts hand them over |
//! | `moves` | solutions in the hosts' buffers |
//! | `status` | the hosts' record of how far a search is |
//! | `settings` | what a search may spend |
//! | `host` | a search on a thread of its own, watched by the host's |
//! | `tasks` | solving and optimizing |
//! | `window` | texts for the user |
//!
//! No function panics into the host. Solutions leave as [`outwit::verify::Verified`] only.

mod board;
mod host;
mod interface;
mod moves;
mod settings;
mod status;
mod tasks;
mod window;

use board::Rows;
use host::Host;
use interface::{Buffer, Callback, PluginStatus, Refusal, ResultCode};
use status::Status;
use std::ffi::{c_char, c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use window::Window;

/// The name that hosts show.
const NAME: &str = concat!("outwit ", env!("CARGO_PKG_VERSION"));

/// Solving or optimizing: it gives a text for the user, or says why there is no solution.
type Task = unsafe fn(Result<Rows, Refusal>, Buffer, &mut Host) -> Result<String, Refusal>;

/// Gives a fault of the plug-in its own number, so that no panic reaches the host.
fn guarded(work: impl FnOnce() -> i32) -> c_int {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(ResultCode::Failure as i32)
}

/// One call that searches.
///
/// # Safety
/// Buffer and status are those of the host, as [`SolveEx`] and [`Optimize`] take them.
unsafe fn call(
    rows: impl FnOnce() -> Result<Rows, Refusal>,
    buffer: Buffer,
    status: *mut PluginStatus,
    callback: Option<Callback>,
    task: Task,
) -> c_int {
    guarded(|| {
        window::stay();
        // SAFETY: what the caller promises.
        let mut host = Host::new(unsafe { Status::new(status) }, callback);
        // SAFETY: what the caller promises.
        let done = unsafe { task(rows(), buffer, &mut host) };
        host.close(done)
    })
}

/// Solves a level: `board` has `width * height` letters and a zero, `solution` takes the moves as text.
///
/// # Safety
/// Each pointer is null or points to what the interface says: a board that ends with a zero, a buffer of that
/// size, a record that begins with its size, a function of the host.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn SolveEx(
    width: c_uint,
    height: c_uint,
    board: *const c_char,
    solution: *mut c_char,
    solution_size: c_uint,
    status: *mut PluginStatus,
    callback: Option<Callback>,
) -> c_int {
    let buffer = Buffer { at: solution, size: solution_size as usize };
    // SAFETY: what the caller promises.
    let rows = || unsafe { board::read_flat(width, height, board) };
    // SAFETY: what the caller promises.
    unsafe { call(rows, buffer, status, callback, tasks::solve) }
}

/// Solves a level, for older hosts: `board` has `height` rows, and there is neither a status nor a function that
/// stops the search.
///
/// # Safety
/// Each pointer is null or points to what the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Solve(
    width: c_uint,
    height: c_uint,
    board: *const *const c_char,
    solution: *mut c_char,
    solution_size: c_uint,
) -> c_int {
    let buffer = Buffer { at: solution, size: solution_size as usize };
    // SAFETY: what the caller promises.
    let rows = || unsafe { board::read_rows(width, height, board) };
    // SAFETY: what the caller promises.
    unsafe { call(rows, buffer, std::ptr::null_mut(), None, tasks::solve) }
}

/// Makes a solution shorter: `moves` has one or more, each with a zero at its end, and a zero behind the last. The
/// flags of the status say what is to be small. It returns success, with one solution in `moves`, only where that
/// is better.
///
/// # Safety
/// As [`SolveEx`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Optimize(
    width: c_uint,
    height: c_uint,
    board: *const c_char,
    moves: *mut c_char,
    moves_size: c_uint,
    status: *mut PluginStatus,
    callback: Option<Callback>,
) -> c_int {
    let buffer = Buffer { at: moves, size: moves_size as usize };
    // SAFETY: what the caller promises.
    let rows = || unsafe { board::read_flat(width, height, board) };
    // SAFETY: what the caller promises.
    unsafe { call(rows, buffer, status, callback, tasks::optimize) }
}

/// Asks all searches that are running to stop, from any thread. Their calls return soon after, with what they have.
#[unsafe(no_mangle)]
pub extern "system" fn Terminate() -> c_int {
    host::terminate();
    ResultCode::Success as c_int
}

/// Writes the plug-in's name, cut where the buffer is too small.
///
/// # Safety
/// The buffer is null, or has that size.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn GetPluginName(name: *mut c_char, size: c_uint) {
    let buffer = Buffer { at: name, size: size as usize };
    let shown = &NAME[..NAME.len().min(buffer.size.saturating_sub(1))];
    // SAFETY: what the caller promises. There is room, so nothing is refused.
    let _ = unsafe { moves::write(shown, 1, buffer) };
}

/// The older name of [`GetPluginName`].
///
/// # Safety
/// As [`GetPluginName`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn GetSolverName(name: *mut c_char, size: c_uint) {
    // SAFETY: what the caller promises.
    unsafe { GetPluginName(name, size) }
}

/// Tells how large a board may be, and how many boxes it may have.
///
/// # Safety
/// Each pointer is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn GetConstraints(
    max_width: *mut c_uint,
    max_height: *mut c_uint,
    max_boxes: *mut c_uint,
) {
    let side = outwit::games::sokoban::format::MAX_SIDE as c_uint;
    // Boxes have no limit of their own.
    for (at, number) in [(max_width, side), (max_height, side), (max_boxes, side * side)] {
        if !at.is_null() {
            // SAFETY: what the caller promises.
            unsafe { at.write_unaligned(number) }
        }
    }
}

/// Tells whether solutions can be made shorter in the measure of these flags: 1 or 0.
#[unsafe(no_mangle)]
pub extern "system" fn IsSupportedOptimization(flags: c_uint) -> c_int {
    c_int::from(tasks::measure(flags).is_some())
}

/// Shows how the plug-in is set up.
#[unsafe(no_mangle)]
pub extern "system" fn Configure(parent: Window) {
    window::show(parent, window::SETTINGS);
}

/// Shows what the plug-in is.
#[unsafe(no_mangle)]
pub extern "system" fn ShowAbout(parent: Window) {
    window::show(parent, window::ABOUT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use outwit::search::Limits;

    #[test]
    fn no_panic_reaches_the_host() {
        assert_eq!(guarded(|| panic!("a test")), ResultCode::Failure as i32);
        // SAFETY: a null pointer is allowed.
        let mut host = Host::new(unsafe { Status::new(std::ptr::null_mut()) }, None);
        let done = host.attend(Limits::default(), |_| panic!("a test"));
        assert_eq!(done.expect_err("no answer").code, ResultCode::Failure);
    }
}
