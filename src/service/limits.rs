//! What a client may ask for, and how long it may take: every bound of the service in one place.
//!
//! What depends on the machine or the site is an option of `outwit serve`, with its default here;
//! the rest are constants.

use std::time::Duration;

/// The longest body of a request, in bytes.
pub const MAX_BODY_BYTES: usize = 4 << 20;
/// The longest text of an area, in bytes.
pub const MAX_AREA_BYTES: usize = 1 << 20;
/// The longest text of a plan, in bytes.
pub const MAX_PLAN_BYTES: usize = 2 << 20;
/// A request that has no answer by then gets 503. Event streams are no such requests.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The most items on one page of a list.
pub const MAX_PAGE: u32 = 500;
/// The items on a page where nothing is said.
pub const DEFAULT_PAGE: u32 = 100;

/// The most cells of a board in one answer: a board of 500 by 500 and a little more.
pub const MAX_VIEW_CELLS: u64 = 1 << 18;
/// Rows and columns shown around the player where a board is larger than that.
pub const DEFAULT_VIEW: (u32, u32) = (60, 120);
/// The most boards that a verification sends along.
pub const MAX_FRAMES: u64 = 1000;
/// The most cells of all boards that a verification sends along.
pub const MAX_FRAME_CELLS: u64 = 1 << 20;

/// The most steps of one game that is played by hand or watched.
pub const MAX_PLAY_STEPS: u64 = 20_000;
/// The longest one request may go on stepping.
pub const PLAY_TIME: Duration = Duration::from_secs(10);
/// The most games that are held at once.
pub const MAX_PLAYS: usize = 256;
/// The most memory that all games together may hold, in bytes, as estimated.
pub const MAX_PLAY_BYTES: u64 = 768 << 20;
/// A game that nobody touched for this long is given up.
pub const PLAY_EXPIRY: Duration = Duration::from_secs(30 * 60);
/// A plan up to this many bytes is sent with each step.
pub const MAX_INLINE_PLAN_BYTES: usize = 16 << 10;

/// Requests that may wait for one of the threads that read and replay, for each such thread.
pub const MAX_WAITING_PER_THREAD: usize = 32;
/// What a client is told to wait where those are too many, in seconds.
pub const BUSY_RETRY_SECONDS: u64 = 1;
