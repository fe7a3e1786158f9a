//! What a client may ask for, and how long it may take: every bound of the service in one place.
//!
//! What depends on the machine or the site is an option of `outwit serve`, with its default in
//! [`Limits`](crate::service::Limits); the rest are constants.

use std::time::Duration;

/// The longest body of a request, in bytes.
pub const MAX_BODY_BYTES: usize = 4 << 20;
/// The longest text of an area, in bytes.
pub const MAX_AREA_BYTES: usize = 1 << 20;
/// The longest text of a plan, in bytes.
pub const MAX_PLAN_BYTES: usize = 2 << 20;
/// A request that is whole and has no answer by then gets 503. Streams of events have theirs at
/// once.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// Minimum idle time before a connection may be closed to make room.
pub const HEARING: Duration = Duration::from_millis(30);
/// Upper limit of the connections that wait for a slot beyond the connection limit; at most as
/// many as that limit.
pub const MAX_PENDING: usize = 1024;
/// Number of connections beyond the connection limit, on which only `/healthz` is answered.
pub const RESERVED_CONNECTIONS: usize = 32;
/// Time for which a client may keep the server waiting on such a connection.
pub const RESERVED_PATIENCE: Duration = Duration::from_secs(2);
/// The memory of all bodies that requests are sending, in bytes.
pub const MAX_RECEIVING_BYTES: usize = 64 << 20;
/// The memory of all answers that clients have not yet read, in bytes.
pub const MAX_SENDING_BYTES: usize = 64 << 20;
/// Size in bytes below which an answer does not count in [`MAX_SENDING_BYTES`].
pub const COUNTED_BYTES: usize = 4 << 10;
/// An answer is handed to a connection in pieces of this many bytes.
pub const PIECE_BYTES: usize = 16 << 10;
/// What a connection holds of what it reads and writes, in bytes.
pub const WIRE_BUFFER_BYTES: usize = 64 << 10;
/// What the system holds of what a connection writes, in bytes.
pub const SEND_BUFFER_BYTES: u32 = 128 << 10;
/// Requests at once on one connection of HTTP/2.
pub const H2_STREAMS: u32 = 64;
/// The longest headers of a request of HTTP/2, in bytes.
pub const H2_HEADER_BYTES: u32 = 32 << 10;
/// What a client of HTTP/2 may send of one body before the server has read it, in bytes.
pub const H2_STREAM_WINDOW: u32 = 256 << 10;
/// What a client of HTTP/2 may send of all bodies of a connection before the server has read it, in
/// bytes.
pub const H2_CONNECTION_WINDOW: u32 = 1 << 20;
/// Time for which requests may go on when the server is to end.
pub const GRACE: Duration = Duration::from_secs(10);

/// The most items on one page of a list.
pub const MAX_PAGE: u32 = 500;
/// The items on a page where nothing is said.
pub const DEFAULT_PAGE: u32 = 100;

/// The longest id of a job, in characters.
pub const MAX_JOB_ID: usize = 64;
/// The most digits of a time in milliseconds.
pub const MAX_TIME_DIGITS: usize = 18;
/// The digits of a token of a game, in hexadecimal: 128 bits.
pub const PLAY_TOKEN_DIGITS: usize = 32;

/// Time limit of the check of a certificate in a request.
pub const MAX_CHECK_TIME: Duration = Duration::from_secs(8);
/// Upper limit of the memory of such a check, in bytes.
pub const MAX_CHECK_BYTES: usize = 256 << 20;

/// The most boards that a verification sends along.
pub const MAX_FRAMES: u64 = 1000;
/// The most cells of all boards that a verification sends along.
pub const MAX_FRAME_CELLS: u64 = 1 << 20;

/// The most steps of one game that is played by hand or watched.
pub const MAX_PLAY_STEPS: u64 = 20_000;
/// The most memory that one game may hold, in bytes, as estimated.
pub const MAX_ONE_PLAY_BYTES: u64 = 512 << 20;
/// Time limit of the steps of one request.
pub const PLAY_TIME: Duration = Duration::from_secs(10);
/// Time limit to follow a watched plan ahead, to tell where it leads.
pub const TRACE_TIME: Duration = Duration::from_secs(1);
/// The most games that are held at once. Where they are too many, the client that holds the most
/// loses the one that it has not touched for longest.
pub const MAX_PLAYS: usize = 256;
/// Upper limit of the memory of all games together, in bytes, as estimated.
pub const MAX_PLAY_BYTES: u64 = 768 << 20;
/// Idle time after which a game is given up.
pub const PLAY_EXPIRY: Duration = Duration::from_secs(30 * 60);

/// The most stored areas that are held as they were read.
pub const MAX_READ_AREAS: usize = 1024;
/// Upper limit of the text of these areas, in bytes.
pub const MAX_READ_BYTES: u64 = 32 << 20;
/// Idle time after which such an area is given up.
pub const READ_EXPIRY: Duration = Duration::from_secs(3600);

/// Size in bytes below which answers are not compressed.
pub const MIN_PACKED_BYTES: usize = 1 << 10;
/// Level at which content is compressed that stays as it is, 0 to 9.
pub const PACKED_LEVEL: u32 = 6;
/// Level at which an answer is compressed that is sent once, 0 to 9.
pub const PASSING_LEVEL: u32 = 1;
/// Upper limit of the pieces of content that are held compressed.
pub const MAX_PACKED: usize = 2048;
/// Upper limit of the memory of this content, compressed and not, in bytes.
pub const MAX_PACKED_BYTES: u64 = 48 << 20;
/// Idle time after which such content is given up.
pub const PACKED_EXPIRY: Duration = Duration::from_secs(3600);

/// Upper limit of the size of the library in WebAssembly, in bytes.
pub const MAX_LIBRARY_BYTES: usize = 16 << 20;

/// Time between two checks whether the store answers.
pub const STORE_LOOK: Duration = Duration::from_secs(1);
/// Time limit for the store's answer to such a check.
pub const STORE_PATIENCE: Duration = Duration::from_secs(2);
/// Time after which a request fails that needs a store that is away.
pub const STORE_GRACE: Duration = Duration::from_millis(500);
/// Time that a client is then told to wait, in seconds.
pub const STORE_RETRY_SECONDS: u64 = 5;
/// Time after which it is looked up again what an id stands for.
pub const NAME_EXPIRY: Duration = Duration::from_secs(1);

/// Requests that may wait for one of the threads that read and replay, for each such thread.
pub const MAX_WAITING_PER_THREAD: usize = 64;
/// Time that a client is told to wait where those are too many, in seconds.
pub const BUSY_RETRY_SECONDS: u64 = 1;

/// The most streams of events at once.
pub const MAX_STREAMS: usize = 256;
/// Upper limit of the streams of events of one client.
pub const MAX_STREAMS_EACH: usize = 64;
/// Time between two looks of a stream at its job.
pub const STREAM_LOOK: Duration = Duration::from_millis(300);
/// Time after which a stream ends; clients open it again by themselves.
pub const STREAM_TIME: Duration = Duration::from_secs(3600);

/// Upper limits of a generator's parameters, by their names: they bound its time.
pub const MOST_OF: [(&str, u64); 7] = [
    ("rows", 200),
    ("cols", 200),
    ("boxes", 12),
    ("pulls", 1000),
    ("tries", 100),
    ("steps", 200),
    ("nodes", 5000),
];
/// Upper limit of the name of who has found a plan, in characters.
pub const MAX_FINDER: usize = 40;

/// Time that a client is told to wait where the queue is full, in seconds.
pub const QUEUE_RETRY_SECONDS: u64 = 5;
/// Number of settled jobs that are kept, the latest.
pub const KEPT_JOBS: u64 = 100_000;
/// Time between two removals from the store of what nobody needs.
pub const TIDY_EVERY: Duration = Duration::from_secs(300);
/// The most clients whose rate is remembered.
pub const MAX_RATED_CLIENTS: usize = 100_000;
