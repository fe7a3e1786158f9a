use outwit::games::robots::{format::*, generate, generate::Kind, planner, state, strategy};
use outwit::search::*;
fn main() {
    let arg = |n: &str, d: u64| {
        std::env::args()
            .find_map(|a| a.strip_prefix(&format!("{n}=")).map(|v| v.parse().unwrap()))
            .unwrap_or(d)
    };
    let n = arg("cases", 300);
    let nodes = arg("nodes", 50000);
    let ms = arg("ms", 1000);
    let verbose = arg("v", 0);
    let mut random = generate::random(arg("seed", 1));
    let (mut wins, mut swins, mut opt, mut imp, mut unk, mut len, mut worse) =
        (0, 0, 0, 0, 0, 0, 0);
    let mut expanded = 0u64;
    let mut generated = 0;
    let mut time = 0.0;
    let mut slow = 0.0f64;
    let (mut l2, mut s2) = (0u64, 0u64);
    for i in 0..n {
        let kind = Kind::mixed(&mut random);
        let case = kind.case(&mut random);
        let s = strategy::play(&case);
        let budget = Budget {
            nodes: (nodes > 0).then_some(nodes),
            threads: 1,
            ..Budget::seconds(ms as f64 / 1000.0)
        };
        let o = planner::solve(&case, None, &budget);
        expanded += o.effort.expanded;
        generated += o.effort.generated;
        time += o.effort.elapsed.as_secs_f64();
        slow = slow.max(o.effort.elapsed.as_secs_f64());
        swins += s.won as u32;
        match o.verdict {
            Verdict::Optimal => opt += 1,
            Verdict::Impossible => imp += 1,
            Verdict::Unknown => unk += 1,
            _ => {}
        }
        if o.plan.is_some() {
            wins += 1;
            len += o.cost;
            if s.won {
                l2 += o.cost;
                s2 += s.actions.len() as u64;
                if o.cost > s.actions.len() as u64 {
                    worse += 1;
                }
                if s.actions.len() as u64 == o.cost && o.verdict != Verdict::Optimal && verbose > 0
                {
                    println!("same as strategy {i} {kind:?} {}", o.cost);
                }
            }
        }
        if (o.verdict == Verdict::Unknown && verbose > 0) || verbose > 1 {
            println!(
                "{i} {kind:?} strategy {} {} -> {:?} {} bound {} mem {} {:?}",
                s.won,
                s.actions.len(),
                o.verdict,
                o.cost as i64,
                o.bound as i64,
                o.effort.memory >> 20,
                o.effort.stopped
            );
        }
    }
    println!(
        "cases {n} strategy wins {swins} wins {wins} optimal {opt} impossible {imp} unknown {unk} len {len} both {l2} vs {s2} worse {worse} exp {expanded} gen {generated} time {time:.2} slowest {slow:.2} gen/s {:.2e}",
        generated as f64 / time
    );
    let _ = state::LONGEST_GAME;
    let _ = BOARD;
}
