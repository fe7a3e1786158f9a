//! `outwit` plans its way out of deterministic grid games and proves each plan by replaying it.
//!
//! The house, from the roof down; imports run downward only:
//!
//! | room | what lives there |
//! |---|---|
//! | `command` | one file per subcommand of the binary; no game logic |
//! | `service` | plans over HTTP, and the page; with the feature of that name |
//! | `store` | what outlives a process: areas, plans, jobs, their queue; with that feature, too |
//! | `terminal` | a game played or watched in the terminal; with the feature `cli`, as the next one |
//! | `batch` | many areas at once: progress, resume, the index |
//! | `render` | pictures of areas and plans; with the feature `pictures` |
//! | [`export`] | plans as a program to submit |
//! | `cluster` | one search by several processes; with the feature of that name |
//! | `play` | a game played step by step as JSON tells it; with the feature `serde` |
//! | `report` | the one report of a search; with that feature, too |
//! | [`verify`] | the one check that every plan passes before it leaves: [`verify::Verified`] |
//! | [`games`] | the waist: what everything above knows of a game, and nothing more |
//! | `games::GAME` | the same rooms in each: `format`, `rules`, `state`, `planner`, `generate` |
//! | [`search`] | what every planner shares: spaces, A*, beam, budgets; knows no game |
//! | [`board`] | what every game shares: cells, directions, grids, bit boards, keys |
//! | [`diagnostic`] | what is wrong with an input, and where |
//!
//! The way of the data is one line: text → `format` → area → `planner` (`state`, `search`) → plan →
//! [`verify`] (`rules`) → [`verify::Verified`] → out.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "cli")]
pub mod batch;
pub mod board;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod diagnostic;
pub mod export;
pub mod games;
#[cfg(feature = "serde")]
mod json;
#[cfg(feature = "serde")]
pub mod play;
#[cfg(feature = "pictures")]
pub mod render;
#[cfg(feature = "serde")]
pub mod report;
pub mod search;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
pub mod store;
#[cfg(feature = "cli")]
pub mod terminal;
pub mod verify;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
