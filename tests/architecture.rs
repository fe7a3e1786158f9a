//! The map of docs/ARCHITECTURE.md holds: imports run downward, and no files import in a circle. What a
//! manifest says that a crate depends on is used.
//!
//! The crate's files are parsed, and each path that names a module counts as an import, in `use` or
//! elsewhere. Tests inside the crate may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// The rooms from the roof down. A room imports only from those below it.
const ROOMS: [&str; 21] = [
    "main",
    "command",
    "service",
    "store",
    "terminal",
    "batch",
    "cluster",
    "play",
    "report",
    "front",
    "render",
    "export",
    "vector",
    "check",
    "verify",
    "games",
    "search",
    "certificate",
    "board",
    "diagnostic",
    "json",
];
/// The most files of one folder.
const MOST_FILES: usize = 15;

/// A module's path from the crate on.
type Module = Vec<String>;
/// What each module imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// All files below a folder that have one of these endings.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| path.extension().is_some_and(|its| its == *ending)) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(Module, PathBuf)> {
    let folder = root().join("src");
    let mut found = Vec::new();
    files(&folder, &["rs"], &mut found);
    let module = |path: PathBuf| {
        let inside = path.strip_prefix(&folder).expect("below src").with_extension("");
        let mut module: Module =
            inside.iter().map(|part| part.to_str().expect("a name").to_owned()).collect();
        if module.last().is_some_and(|last| last == "mod" || last == "lib") {
            module.pop();
        }
        (module, path)
    };
    found.into_iter().map(module).collect()
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The paths that a file names, the texts in it, and the modules that it declares.
#[derive(Default)]
struct Names {
    paths: Vec<Vec<String>>,
    texts: Vec<String>,
    /// Modules in files of their own.
    modules: Vec<String>,
    /// Those of them that only tests have.
    tests: Vec<String>,
}

impl Names {
    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.paths.push(with(&name.ident)),
            UseTree::Rename(rename) => self.paths.push(with(&rename.ident)),
            UseTree::Glob(_) => self.paths.push(before.to_vec()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, before));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if module.content.is_none() => {
                let names =
                    if is_test(&module.attrs) { &mut self.tests } else { &mut self.modules };
                names.push(module.ident.to_string());
            }
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Use(item) => self.add_tree(&item.tree, &[]),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.texts.push(text.value());
    }
}

/// The module that a path leads to from a module; none where it leads out of the crate.
fn target(
    from: &Module,
    path: &[String],
    names: &Names,
    known: &BTreeSet<Module>,
) -> Option<Module> {
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" | "outwit" => (Vec::new(), &path[1..]),
        "self" | "super" => (from.clone(), path),
        first if names.modules.iter().any(|module| module == first) => (from.clone(), path),
        _ => return None,
    };
    while let Some((first, others)) =
        rest.split_first().filter(|(f, _)| *f == "self" || *f == "super")
    {
        if first == "super" {
            base.pop();
        }
        rest = others;
    }
    let mut module = [&base, rest].concat();
    while !known.contains(&module) {
        module.pop()?;
    }
    Some(module)
}

/// All files of the crate, parsed.
fn parsed() -> BTreeMap<Module, Names> {
    let parse = |(module, path): (Module, PathBuf)| {
        let text = std::fs::read_to_string(&path).expect("a source");
        let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut names = Names::default();
        names.visit_file(&file);
        (module, names)
    };
    sources().into_iter().map(parse).collect()
}

/// The modules that only tests have.
fn test_modules(parsed: &BTreeMap<Module, Names>) -> BTreeSet<Module> {
    let of = |(module, names): (&Module, &Names)| {
        let inside = |test: &String| [&module[..], std::slice::from_ref(test)].concat();
        names.tests.iter().map(inside).collect::<Vec<_>>()
    };
    parsed.iter().flat_map(of).collect()
}

fn imports() -> Imports {
    let parsed = parsed();
    let tests = test_modules(&parsed);
    let known: BTreeSet<Module> = parsed.keys().cloned().collect();
    let of = |module: &Module, names: &Names| {
        let targets = names.paths.iter().filter_map(|path| target(module, path, names, &known));
        targets.filter(|target| target != module).collect()
    };
    let is_test = |module: &Module| tests.iter().any(|tests| module.starts_with(tests));
    (parsed.iter().filter(|(module, _)| !is_test(module)))
        .map(|(module, names)| (module.clone(), of(module, names)))
        .collect()
}

/// All imports, one by one.
fn pairs(imports: &Imports) -> impl Iterator<Item = (&Module, &Module)> {
    imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)))
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn written(from: &Module, to: &Module) -> String {
    format!("{} imports {}", from.join("/"), to.join("/"))
}

#[test]
fn imports_run_downward() {
    let imports = imports();
    assert!(pairs(&imports).count() > 500, "only {} imports were found", pairs(&imports).count());
    let storey = |module: &Module| {
        ROOMS.iter().position(|room| *room == module[0]).unwrap_or_else(|| panic!("{module:?}"))
    };
    // The crate itself names its rooms, and `main` is above all of them.
    let rooms = pairs(&imports).filter(|(from, to)| !from.is_empty() && !to.is_empty());
    let upward = rooms.filter(|(from, to)| storey(from) > storey(to));
    assert_none(&upward.map(|(from, to)| written(from, to)).collect::<Vec<_>>());
    let map = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the map");
    for room in ROOMS {
        assert!(map.contains(&format!("`src/{room}")), "src/{room} is not on the map");
    }
}

/// The games' folders.
fn games<'a>(modules: impl Iterator<Item = &'a Module>) -> BTreeSet<&'a String> {
    modules
        .filter(|module| module.len() == 3 && module[0] == "games" && module[2] == "rules")
        .map(|module| &module[1])
        .collect()
}

/// No file of the waist imports a game, and no game knows another.
#[test]
fn games_are_apart() {
    let imports = imports();
    let games = games(imports.keys());
    assert_eq!(games.len(), 5, "{games:?}");
    let game = |module: &'_ Module| {
        (module.first()? == "games").then(|| games.get(module.get(1)?).copied()).flatten().cloned()
    };
    let is_waist = |module: &Module| {
        module.first().is_some_and(|room| room == "games") && game(module).is_none()
    };
    let wrong = pairs(&imports).filter(|(from, to)| match (game(from), game(to)) {
        (Some(one), Some(other)) => one != other,
        // Games import the waist's files one by one: `games` itself is for those above.
        (Some(_), None) => to[..] == ["games"],
        (None, Some(_)) => is_waist(from),
        (None, None) => false,
    });
    assert_none(&wrong.map(|(from, to)| written(from, to)).collect::<Vec<_>>());
}

/// What the checkers of proofs may import: the rules of their game, its format, and what no search has to do
/// with. A proof is checked by something else than what has made it.
const FOR_CHECKERS: [&str; 6] =
    ["board", "certificate", "diagnostic", "games/objective", "GAME/format", "GAME/rules"];
/// What `check` itself may import.
const FOR_CHECK: [&str; 5] = ["certificate", "diagnostic", "games", "search", "verify"];
/// What `check` may name of the searches: what may be spent, and who is told.
const OF_SEARCH: [&str; 6] = ["clock", "Event", "Limits", "Progress", "Run", "StopReason"];

#[test]
fn checkers_share_nothing_with_planners() {
    let imports = imports();
    let is_below =
        |module: &str, room: &str| module == room || module.starts_with(&format!("{room}/"));
    let mut found = Vec::new();
    let mut checkers = BTreeSet::new();
    for (from, to) in pairs(&imports) {
        let (path, target) = (from.join("/"), to.join("/"));
        let allowed: Vec<String> = match &from[..] {
            [games, game, check, ..] if games == "games" && check == "check" => {
                checkers.insert(game);
                let own = format!("games/{game}/check");
                let rooms = FOR_CHECKERS.map(|room| room.replace("GAME", &format!("games/{game}")));
                rooms.into_iter().chain([own]).collect()
            }
            [room, ..] if room == "check" => {
                FOR_CHECK.map(str::to_owned).into_iter().chain(["check".into()]).collect()
            }
            [room, ..] if room == "certificate" => vec!["certificate".into(), "diagnostic".into()],
            _ => continue,
        };
        // Of the games and the searches only their fronts, whose names are looked at below.
        let is_front = |room: &str| matches!(room, "games" | "search");
        let fits = |room: &String| match is_front(room) {
            true => target == *room || target == "search/clock",
            false => is_below(&target, room),
        };
        if !allowed.iter().any(fits) {
            found.push(format!("{path} imports {target}"));
        }
    }
    assert_eq!(checkers.len(), 5, "{checkers:?}");
    for (module, names) in
        parsed().iter().filter(|(module, _)| module.first().is_some_and(|room| room == "check"))
    {
        let paths = names.paths.iter().filter(|path| path.len() > 2 && path[1] == "search");
        let wrong = paths.filter(|path| !OF_SEARCH.contains(&path[2].as_str()));
        found.extend(wrong.map(|path| format!("{} names {}", module.join("/"), path.join("::"))));
    }
    assert_none(&found);
}

/// What of the crate may name a game above `games`: what only one game has. The labyrinth's arbiter and
/// explorer, the Last of Us' programs to submit.
const NAMES_GAMES: [&str; 4] = ["command/explore", "command/referee", "command/export", "export"];

/// What holds for one game comes from the game: no code above the games names one, and no file of the
/// waist but the table in `games/id.rs`, which is a macro.
#[test]
fn no_code_above_the_games_names_one() {
    let parsed = parsed();
    let tests = test_modules(&parsed);
    let games = games(parsed.keys());
    // As folders, as ids, as users write them.
    let id = |folder: &String| -> String {
        let word = |word: &str| word[..1].to_uppercase() + &word[1..];
        folder.split('_').map(word).collect()
    };
    let code: BTreeSet<String> =
        games.iter().flat_map(|&folder| [folder.clone(), id(folder)]).collect();
    let texts: BTreeSet<String> = games.iter().map(|folder| folder.replace('_', "-")).collect();
    let is_above = |module: &Module| {
        let room = ROOMS.iter().position(|room| module.first().is_some_and(|first| first == room));
        let games = ROOMS.iter().position(|room| *room == "games");
        room < games || module.len() == 2 && module[0] == "games"
    };
    let is_left_out = |module: &Module| {
        let path = module.join("/");
        let may =
            NAMES_GAMES.iter().any(|left| path == *left || path.starts_with(&format!("{left}/")));
        may || tests.iter().any(|tests| module.starts_with(tests))
    };
    let mut found = Vec::new();
    for (module, names) in parsed.iter().filter(|(m, _)| is_above(m) && !is_left_out(m)) {
        if module.get(1).is_some_and(|folder| games.contains(folder)) {
            continue;
        }
        let parts = names.paths.iter().flatten().filter(|part| code.contains(*part));
        let texts = names.texts.iter().filter(|text| texts.contains(*text));
        found.extend(parts.chain(texts).map(|name| format!("{} names {name}", module.join("/"))));
    }
    assert_none(&found);
}

/// The page takes what it says of a game from the game's description.
#[test]
fn no_script_of_the_page_names_a_game() {
    let parsed = parsed();
    let mut names: Vec<String> = Vec::new();
    for folder in games(parsed.keys()) {
        let name = folder.strip_suffix('s').filter(|_| !folder.contains('_')).unwrap_or(folder);
        names.extend(["_", "-", " ", ""].map(|between| name.replace('_', between)));
    }
    let mut scripts = Vec::new();
    files(&root().join("src/service/page"), &["js", "html"], &mut scripts);
    assert!(scripts.len() > 20, "only {} scripts were found", scripts.len());
    let mut found = Vec::new();
    for path in scripts {
        let text = std::fs::read_to_string(&path).expect("a script");
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.to_lowercase();
            if let Some(name) = names.iter().find(|name| line.contains(*name)) {
                found.push(format!("{}:{number} names {name}", path.display()));
            }
        }
    }
    assert_none(&found);
}

/// In each folder: no circle of its files and folders. A folder's `mod.rs` may import what is in the
/// folder, and the other way round.
#[test]
fn no_circles() {
    let imports = imports();
    let folders: BTreeSet<&[String]> =
        imports.keys().flat_map(|module| (0..module.len()).map(|n| &module[..n])).collect();
    let mut circles = Vec::new();
    for folder in folders {
        let depth = folder.len();
        let inside = |module: &Module| module.len() > depth && module[..depth] == *folder;
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in pairs(&imports).filter(|(from, to)| inside(from) && inside(to)) {
            if from[depth] != to[depth] {
                edges.entry(&from[depth]).or_default().insert(&to[depth]);
            }
        }
        // What imports nothing that is left, or is imported by nothing, is in no circle.
        let is_free = |one: &str, edges: &BTreeMap<&str, BTreeSet<&str>>| {
            edges[one].iter().all(|to| !edges.contains_key(to))
                || edges.values().all(|to| !to.contains(one))
        };
        while let Some(free) = edges.keys().copied().find(|one| is_free(one, &edges)) {
            edges.remove(free);
        }
        for (from, to) in &edges {
            for to in to.iter().filter(|to| edges.contains_key(*to)) {
                circles.push(format!("{}: {from} imports {to}", folder.join("/")));
            }
        }
    }
    assert_none(&circles);
}

#[test]
fn folders_are_small() {
    let mut found = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        files(&root().join(folder), &["rs", "js", "html", "css"], &mut found);
    }
    let mut count: BTreeMap<&Path, usize> = BTreeMap::new();
    found.iter().for_each(|path| *count.entry(path.parent().expect("a folder")).or_default() += 1);
    let large = count.iter().filter(|(_, count)| **count > MOST_FILES);
    assert_none(&large.map(|(f, n)| format!("{}: {n} files", f.display())).collect::<Vec<_>>());
}

/// The names of a manifest's dependencies, as code names them.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).expect("a manifest");
    let mut is_list = false;
    let mut names = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            is_list = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| is_list) {
            names.push(name.replace('-', "_"));
        }
    }
    names
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for folder in ["", "plugin", "python", "wasm", "fuzz"].map(|folder| root().join(folder)) {
        let manifest = folder.join("Cargo.toml");
        let mut found = Vec::new();
        for inside in ["src", "tests", "benches", "examples", "fuzz_targets"] {
            let inside = folder.join(inside);
            if inside.is_dir() {
                files(&inside, &["rs"], &mut found);
            }
        }
        let code: Vec<String> =
            found.iter().map(|path| std::fs::read_to_string(path).expect("a source")).collect();
        let names = dependencies(&manifest);
        assert!(!names.is_empty(), "{}: no dependencies were found", manifest.display());
        for name in names {
            let (path, import) = (format!("{name}::"), format!("use {name}"));
            if !code.iter().any(|text| text.contains(&path) || text.contains(&import)) {
                unused.push(format!("{}: {name}", manifest.display()));
            }
        }
    }
    assert_none(&unused);
}

/// What names the version of a release.
#[test]
fn one_version_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |file: &str| std::fs::read_to_string(root().join(file)).expect("it is there");
    let manifests = ["plugin/Cargo.toml", "python/Cargo.toml", "wasm/Cargo.toml"];
    for file in manifests.into_iter().chain(["planning/up-outwit/pyproject.toml"]) {
        assert!(read(file).contains(&format!("version = \"{version}\"")), "{file}");
    }
    for file in ["compose.yaml", "docs/deploy/kubernetes.yaml"] {
        let text = read(file);
        let mut tags = text.lines().filter_map(|line| line.trim().strip_prefix("image: outwit"));
        assert!(tags.clone().count() > 1, "{file} names the image");
        assert!(tags.all(|tag| tag == format!(":{version}")), "{file}: the image's version");
    }
}
