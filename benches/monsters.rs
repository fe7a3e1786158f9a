//! scratch
use outwit::games::monsters::generate::*;
use outwit::games::monsters::planner::Escape;
use outwit::search::*;
use rand::{RngExt, SeedableRng};
fn main() {
    let seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let count: usize = std::env::var("LEVELS").ok().and_then(|s| s.parse().ok()).unwrap_or(300);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut tally = std::collections::BTreeMap::new();
    for i in 0..count {
        let kind = Kind::ALL[i % 6];
        let shape = random_shape(24, 60, &mut rng);
        let level = random_level(kind, shape, &mut rng);
        let budget = Budget { threads: 1, ..Budget::seconds(1.0) };
        let o = astar::astar(&Escape::new(&level), &budget.start());
        *tally.entry((kind.name(), format!("{:?}", o.verdict))).or_insert(0) += 1;
        if o.verdict == Verdict::Unknown || o.effort.elapsed.as_millis() > 200 {
            println!(
                "{i} {} {}x{} {:?} cost {} bound {} {:?}",
                kind.name(),
                shape.rows,
                shape.cols,
                o.verdict,
                o.cost as i64,
                o.bound,
                o.effort
            );
            if o.verdict == Verdict::Unknown {
                std::fs::write(format!("/tmp/h/mon/{}-{seed}-{i}.txt", kind.name()), level.text())
                    .unwrap();
            }
        }
    }
    println!("{tally:?}");
}
