#![cfg_attr(not(feature = "bench"), warn(missing_debug_implementations))]
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// Documents speak of the insides of planners, too, which are public with the feature `bench` only.
#![cfg_attr(not(feature = "bench"), allow(rustdoc::private_intra_doc_links))]

#[cfg(feature = "cli")]
pub mod batch;
pub mod board;
pub mod certificate;
#[cfg(feature = "certificates")]
pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod diagnostic;
pub mod export;
mod front;
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
pub mod vector;
pub mod verify;

pub use front::{Error, improve, parse, read, solve, verify};
