use outwit::games::labyrinth::*;
use outwit::games::labyrinth::generate::*;
use outwit::games::labyrinth::protocol::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let class = CLASSES.iter().find(|c| c.name == args[1]).unwrap();
    let from: u64 = args[2].parse().unwrap();
    let to: u64 = args[3].parse().unwrap();
    let verbose = args.len() > 4;
    let mut ratios = vec![];
    let (mut maxc, mut maxo) = (0, 0);
    let mut lost = 0;
    let mut tp = std::time::Duration::ZERO; let (mut tc, mut tot) = (std::time::Duration::ZERO, 0u64);
    for seed in from..to {
        let maze = match make(class, args.get(5).map_or("", |s| s), None, seed) { Ok(m) => m, Err(e) => { println!("{seed}: {e}"); continue } };
        let mut game = rules::Rules::new(&maze, Readings::default());
        let mut player = explorer::Explorer::new(maze.sticks);
        let mut why = None;
        while !game.won {
            let t = std::time::Instant::now();
            let c = player.command();
            tc += t.elapsed();
            if verbose { println!("{:?} {c}", game.player); }
            match game.act(c) { Ok(r) => { let t = std::time::Instant::now(); player.hear(&r); tc += t.elapsed(); }, Err(v) => { why = Some((v, c)); break } }
        }
        let t = std::time::Instant::now();
        let out = planner::plan(&maze, &outwit::search::Budget::seconds(20.0));
        tp += t.elapsed();
        if out.verdict != outwit::search::Verdict::Optimal { println!("seed {seed} planner {:?}", out.verdict); continue }
        let best = out.cost;
        let ratio = game.oxygen as f64 / best as f64;
        if let Some((v, c)) = why { lost += 1; println!("seed {seed} LOST {v} at {c} after {} commands {} oxygen sticks {} of {}", game.commands, game.oxygen, game.sticks, maze.sticks); }
        if verbose || args.len() > 3 && std::env::var("V").is_ok() { println!("seed {seed} commands {} oxygen {} best {best} ratio {ratio:.2} segs {} sticks {}/{}", game.commands, game.oxygen, maze.segments.len(), game.sticks, maze.sticks); }
        ratios.push(ratio); maxc = maxc.max(game.commands); maxo = maxo.max(game.oxygen); tot += game.oxygen as u64;
    }
    ratios.sort_by(f64::total_cmp);
    let n = ratios.len();
    println!("class {} games {n} lost {lost} ratio median {:.2} p75 {:.2} p90 {:.2} max {:.2} max commands {maxc} max oxygen {maxo} mean {} player {:?}/game planner {:?}", args[1], ratios[n/2], ratios[n*3/4], ratios[n*9/10], ratios[n-1], tot / n as u64, tc / n as u32, tp / n as u32);
}
