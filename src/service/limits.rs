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
/// Nobody is sent away before he was quiet for this long.
pub const HEARING: Duration = Duration::from_millis(30);
/// Connections beyond the most that wait until a place is free, as many as there are places at
/// most.
pub const LOUNGE: usize = 1024;
/// Connections beyond the most, at which only `/healthz` is answered.
pub const RESERVED_CONNECTIONS: usize = 32;
/// How long a client may keep us waiting there.
pub const RESERVED_PATIENCE: Duration = Duration::from_secs(2);
/// The memory of all bodies that requests are sending, in bytes.
pub const MAX_RECEIVING_BYTES: usize = 64 << 20;
/// The memory of all answers that clients have not yet read, in bytes.
pub const MAX_SENDING_BYTES: usize = 64 << 20;
/// Answers shorter than this do not count in it.
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
/// What a client of HTTP/2 may send of one body before it was read, in bytes.
pub const H2_STREAM_WINDOW: u32 = 256 << 10;
/// The same of all bodies of a connection.
pub const H2_CONNECTION_WINDOW: u32 = 1 << 20;
/// How long requests that run may go on when the server is to end.
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

/// The most boards that a verification sends along.
pub const MAX_FRAMES: u64 = 1000;
/// The most cells of all boards that a verification sends along.
pub const MAX_FRAME_CELLS: u64 = 1 << 20;

/// The most steps of one game that is played by hand or watched.
pub const MAX_PLAY_STEPS: u64 = 20_000;
/// The most memory that one game may hold, in bytes, as estimated.
pub const MAX_ONE_PLAY_BYTES: u64 = 512 << 20;
/// The longest one request may go on stepping.
pub const PLAY_TIME: Duration = Duration::from_secs(10);
/// A plan that is watched is followed ahead for so long, to tell where it leads.
pub const TRACE_TIME: Duration = Duration::from_secs(1);
/// The most games that are held at once. Where they are too many, the client that holds the most
/// loses the one that it has not touched for longest.
pub const MAX_PLAYS: usize = 256;
/// The most memory that all games together may hold, in bytes, as estimated.
pub const MAX_PLAY_BYTES: u64 = 768 << 20;
/// A game that nobody touched for this long is given up.
pub const PLAY_EXPIRY: Duration = Duration::from_secs(30 * 60);

/// The most stored areas that are held as they were read.
pub const MAX_READ_AREAS: usize = 1024;
/// The most text that these have, in bytes.
pub const MAX_READ_BYTES: u64 = 32 << 20;
/// One that was not used for this long is given up.
pub const READ_EXPIRY: Duration = Duration::from_secs(3600);

/// Answers shorter than this are not packed, in bytes.
pub const MIN_PACKED_BYTES: usize = 1 << 10;
/// How well content is packed that stays as it is, 0 to 9.
pub const PACKED_LEVEL: u32 = 6;
/// How well an answer is packed that is sent once.
pub const PASSING_LEVEL: u32 = 1;
/// The most pieces of content that are held packed.
pub const MAX_PACKED: usize = 2048;
/// The most bytes that these have, packed and not.
pub const MAX_PACKED_BYTES: u64 = 48 << 20;
/// One that was not used for this long is given up.
pub const PACKED_EXPIRY: Duration = Duration::from_secs(3600);

/// Upper limit of the size of the library in WebAssembly, in bytes.
pub const MAX_LIBRARY_BYTES: usize = 16 << 20;

/// How often the store is asked whether it answers.
pub const STORE_LOOK: Duration = Duration::from_secs(1);
/// How long it may take to say so.
pub const STORE_PATIENCE: Duration = Duration::from_secs(2);
/// A request that needs a store that is away is told so after this long.
pub const STORE_GRACE: Duration = Duration::from_millis(500);
/// What a client is told to wait then, in seconds.
pub const STORE_RETRY_SECONDS: u64 = 5;
/// What an id stands for is looked up again after this long.
pub const NAME_EXPIRY: Duration = Duration::from_secs(1);

/// Requests that may wait for one of the threads that read and replay, for each such thread.
pub const MAX_WAITING_PER_THREAD: usize = 64;
/// What a client is told to wait where those are too many, in seconds.
pub const BUSY_RETRY_SECONDS: u64 = 1;

/// The most streams of events at once.
pub const MAX_STREAMS: usize = 256;
/// The most of them of one client.
pub const MAX_STREAMS_EACH: usize = 64;
/// How often a stream looks at its job.
pub const STREAM_LOOK: Duration = Duration::from_millis(300);
/// A stream ends after this long; clients open it again by themselves.
pub const STREAM_TIME: Duration = Duration::from_secs(3600);

/// What a generator may be told at most, by the parameter's name: that bounds its time.
pub const MOST_OF: [(&str, u64); 7] = [
    ("rows", 200),
    ("cols", 200),
    ("boxes", 12),
    ("pulls", 1000),
    ("tries", 100),
    ("steps", 200),
    ("nodes", 5000),
];
/// The longest name of who has found a plan, in characters.
pub const MAX_FINDER: usize = 40;

/// What a client is told to wait where the queue is full, in seconds.
pub const QUEUE_RETRY_SECONDS: u64 = 5;
/// Settled jobs are kept up to this number, the latest.
pub const KEPT_JOBS: u64 = 100_000;
/// How often what nobody needs is removed from the store.
pub const TIDY_EVERY: Duration = Duration::from_secs(300);
/// The most clients whose rate is remembered.
pub const MAX_RATED_CLIENTS: usize = 100_000;
