//! Sokoban from outside: formats, the two simulators, the planner, PDDL.

mod collections;
mod format;
mod pddl;
mod planner;
mod simulators;
mod solutions;

use outwit::diagnostic::Source;
use outwit::games::sokoban::format::{Level, read_levels};
use outwit::search::{Limits, Run};
use std::path::{Path, PathBuf};

const SMALL: &str = "\
####
# .#
#  ###
#*@  #
#  $ #
#  ###
####
; corridor
#########
#@ $ $..#
#########
; two rooms
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
; round the pillar
#######
#     #
# .#. #
# $ $ #
#  @  #
#######
";

/// A budget that depends on nothing but expansions.
fn nodes(nodes: u64, threads: usize) -> Run {
    Run::from(Limits { nodes: Some(nodes), threads, ..Limits::seconds(600.0) })
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}
