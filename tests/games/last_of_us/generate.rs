//! Generated areas: each has the family and size that were wished for and a plan that verifies; the
//! same options give the same area; options that cannot be met get a reason.

use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::{Action, Map, read_map, read_plan};
use outwit::games::{GameId, GenerateOptions, Generated, Values};
use outwit::verify::{Verified, verify};

fn options(seed: u64, values: &[(&str, &str)]) -> GenerateOptions {
    GenerateOptions::new(seed, values.iter().copied())
}

fn generate(seed: u64, values: &[(&str, &str)]) -> Result<Generated, String> {
    let made = GameId::LastOfUs.game().generate(&options(seed, values));
    made.map_err(|error| error.to_string())
}

fn families() -> &'static [&'static str] {
    let parameters = GameId::LastOfUs.game().parameters();
    match parameters.iter().find(|p| p.name == "family").unwrap().values {
        Values::Words(words) => words,
        _ => panic!("families are words"),
    }
}

fn check(made: &Generated) -> (Map, Verified) {
    let source = Source::new(made.name.as_str(), made.area.as_str());
    let map = read_map(&source).unwrap();
    assert_eq!(map.name, made.name);
    let area = GameId::LastOfUs.game().read(&source).unwrap().only().unwrap();
    let plan = verify(&*area, &Source::new("plan", made.plan.as_str()));
    (map, plan.unwrap_or_else(|error| panic!("{}: {error:?}\n{}", made.name, made.area)))
}

#[test]
fn every_family_comes_with_a_plan_that_verifies() {
    for family in families() {
        let mut clickers = 0;
        let mut areas = Vec::new();
        for seed in 1..=3 {
            let made = generate(seed, &[("family", family)]).unwrap();
            let (map, _) = check(&made);
            assert_eq!((map.shape.rows, map.shape.cols), (42, 42));
            clickers += map.clickers.len();
            areas.push(made);
        }
        let again = generate(1, &[("family", family)]).unwrap();
        assert_eq!(
            (&areas[0].area, &areas[0].plan),
            (&again.area, &again.plan),
            "the same options"
        );
        assert!(clickers >= 6, "{family}: {clickers} clickers in three areas are none to speak of");
        let rows = |made: &Generated| made.area.split_once('\n').unwrap().1.to_string();
        assert_ne!(rows(&areas[0]), rows(&areas[1]), "{family}: the seed makes no difference");
    }
}

#[test]
fn every_size_gives_an_area_or_a_reason() {
    let sizes =
        [("10", "10"), ("10", "60"), ("60", "10"), ("13", "27"), ("15", "15"), ("31", "90")];
    for family in families() {
        let mut made = 0;
        for (rows, cols) in sizes {
            for seed in 1..=2 {
                let values = [("family", *family), ("rows", rows), ("cols", cols)];
                match generate(seed, &values) {
                    Ok(area) => {
                        check(&area);
                        made += 1;
                    }
                    Err(reason) => assert!(!reason.is_empty()),
                }
            }
        }
        assert!(made >= 4, "{family}: {made} of 12");
    }
}

#[test]
fn counts_are_kept() {
    let values =
        [("family", "open"), ("rows", "30"), ("cols", "50"), ("clickers", "7"), ("bricks", "9")];
    let (map, _) = check(&generate(3, &values).unwrap());
    assert_eq!((map.shape.rows, map.shape.cols, map.bricks), (30, 50, 9));
    assert!(map.clickers.len() <= 7);
    let (crowd, _) = check(&generate(3, &[("family", "rooms"), ("clickers", "500")]).unwrap());
    assert!(crowd.clickers.len() > 20, "a crowd thins out until there is a way");
    let (empty, _) = check(&generate(3, &[("family", "caves"), ("clickers", "0")]).unwrap());
    assert!(empty.clickers.is_empty());
    let (lattice, plan) = check(&generate(1, &[("family", "lattice")]).unwrap());
    let bricks = plan.validation().facts.iter().find(|fact| fact.name == "bricks").unwrap();
    assert_eq!(bricks.value.number(), Some(lattice.bricks.into()), "auto: as many as are thrown");
}

#[test]
fn a_wish_that_cannot_be_met_gets_a_reason() {
    for (name, value, reason) in [
        ("family", "forest", "--family: \"forest\" is not one of open, caves"),
        ("rows", "9", "--rows: 9 is not from 10 to 500"),
        ("rows", "x", "--rows: \"x\" is not a whole number"),
        ("cols", "99999999999", "--cols: 99999999999 is not from 10 to 500"),
        ("bricks", "141", "--bricks: 141 is not from 0 to 140"),
        ("bricks", "-1", "--bricks: \"-1\" is not a whole number"),
        ("clickers", "250001", "--clickers: 250001 is not from 0 to 250000"),
        ("colour", "red", "unknown parameter \"colour\"; one of family, rows"),
    ] {
        let error = generate(1, &[(name, value)]).unwrap_err();
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn a_dense_crowd_is_what_its_plan_leaves_alive() {
    for family in ["open", "caves", "rooms", "maze1", "maze3"] {
        let dense = [
            ("family", family),
            ("rows", "60"),
            ("cols", "60"),
            ("crowd", "dense"),
            ("clickers", "80"),
        ];
        let made = generate(5, &dense).unwrap();
        let (map, plan) = check(&made);
        let again = generate(5, &dense).unwrap();
        assert_eq!((&made.area, &made.plan), (&again.area, &again.plan), "the same options");
        assert!((60..=80).contains(&map.clickers.len()), "{family}: {}", map.clickers.len());
        let bricks = plan.validation().facts.iter().find(|fact| fact.name == "bricks").unwrap();
        assert!(bricks.value.number() >= Some(5), "{family}: a throw at every fourth step");

        let mut ellie = map.ellie;
        let mut way = vec![ellie];
        for action in read_plan(&Source::new("plan", made.plan.as_str())).unwrap() {
            if let Action::Walk(Some(direction)) = action {
                ellie = map.shape.step(ellie, direction).unwrap();
                way.push(ellie);
            }
        }
        let is_near = |&&c: &&_| way.iter().any(|&cell| map.shape.chebyshev(c, cell) <= 3);
        let near = map.clickers.iter().filter(is_near).count();
        // Three in four, less those that the plan did not leave alive.
        assert!(near * 2 >= map.clickers.len(), "{family}: {near} of {}", map.clickers.len());
    }
    let (none, _) = check(&generate(5, &[("crowd", "dense"), ("clickers", "0")]).unwrap());
    assert!(none.clickers.is_empty());
    let error = generate(5, &[("crowd", "loose")]).unwrap_err();
    assert_eq!(error, "--crowd: \"loose\" is not one of strewn, dense");
}
