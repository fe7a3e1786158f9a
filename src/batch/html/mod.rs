//! A folder of solutions as one HTML file, to be sent to somebody: a summary at a glance, and a table of each game.
//!
//! The file needs nothing else: its style and its pictures are in it, and it has no script.

mod picture;

use super::index::Claim;
use super::{Records, Task};
use crate::games::{Standing, gap};
use crate::render::escaped;
use picture::Pictures;
use std::collections::{BTreeMap, BTreeSet};

/// How the file looks, in light and dark.
const STYLE: &str = include_str!("style.css");
/// Text of a cell whose value is not known.
const NOTHING: &str = "-";

/// Writes a folder's claims as HTML. The records have the times; areas of the same content have the pictures.
pub fn page(title: &str, claims: &[Claim], records: &Records, areas: &[Task]) -> String {
    let mut claims: Vec<&Claim> = claims.iter().collect();
    // Stable: an area's measures stay in their order.
    claims.sort_by(|a, b| a.key.cmp(&b.key));
    let groups = groups(&claims);
    let title = escaped(title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    html += &summary(&claims, &groups);
    let pictures = Pictures::new(areas);
    let games: BTreeSet<&str> = claims.iter().map(|claim| claim.game_and_name().0).collect();
    for game in games {
        let own = claims.iter().filter(|claim| claim.game_and_name().0 == game);
        html += &format!("<h2>{}</h2>\n", escaped(game));
        html += &areas_of(own.copied(), records, &pictures);
    }
    html + "</body>\n</html>\n"
}

/// A game in one of its measures, with whether that is its usual one, and the claims about it.
type Group<'a> = ((&'a str, bool, &'a str), Vec<&'a Claim>);

/// The claims of each game in each measure, the usual one of a game first.
fn groups<'a>(claims: &[&'a Claim]) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&str, bool, &str), Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        let place = (claim.game_and_name().0, !claim.is_usual(), claim.measure.as_str());
        groups.entry(place).or_default().push(claim);
    }
    groups.into_iter().collect()
}

/// Numbers about some claims.
#[derive(Default)]
struct Totals {
    areas: usize,
    solved: usize,
    optimal: usize,
    impossible: usize,
    certified: usize,
    /// Sums over solved areas.
    length: u64,
    bound: u64,
}

impl Totals {
    fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Totals {
        let mut totals = Totals::default();
        for claim in claims {
            let standing = claim.standing;
            totals.areas += 1;
            totals.optimal += usize::from(standing.is_optimal());
            totals.impossible += usize::from(standing == Standing::Impossible);
            totals.certified += usize::from(claim.certificate.is_some());
            if let Some(length) = standing.length() {
                totals.solved += 1;
                totals.length = totals.length.saturating_add(length);
                totals.bound = totals.bound.saturating_add(standing.bound().unwrap_or(0));
            }
        }
        totals
    }
}

/// The summary: numbers of the usual measures, and a row for each game and measure.
fn summary(claims: &[&Claim], groups: &[Group<'_>]) -> String {
    let usual = Totals::of(claims.iter().copied().filter(|claim| claim.is_usual()));
    let areas: BTreeSet<&str> = claims.iter().map(|claim| claim.key.as_str()).collect();
    let figures = [
        (areas.len(), "areas"),
        (usual.solved, "solved"),
        (usual.optimal, "proven optimal"),
        (usual.impossible, "proven impossible"),
        (usual.certified, "certified"),
    ];
    let mut html = String::from("<ul class=\"figures\">\n");
    for (count, name) in figures {
        html += &format!("<li><b>{count}</b> {name}</li>\n");
    }
    html += "</ul>\n<p class=\"quiet\">Each plan was replayed through the reference rules of its game. A bound is \
             proven: no plan is shorter. The gap is how far a plan is above it. A certified claim was proven again \
             from the rules alone. The time is that of the search that found the plan.</p>\n";
    let mut rows = String::new();
    for ((game, is_other, measure), claims) in groups {
        let name = if *is_other { format!("{game}, {measure}") } else { (*game).to_string() };
        let of = Totals::of(claims.iter().copied());
        let mut row = cell("name", &name);
        for count in [of.areas, of.solved, of.optimal, of.impossible, of.certified] {
            row += &cell("number", &count.to_string());
        }
        row += &cell("number", &of.length.to_string());
        row += &cell("number", &of.bound.to_string());
        row += &cell("number", &percent(gap(of.length, of.bound).filter(|_| of.solved > 0)));
        rows += &format!("<tr>{row}</tr>\n");
    }
    let names = ["areas", "solved", "proven optimal", "proven impossible", "certified"];
    let names = names.iter().chain(&["length of all", "bound of all", "gap"]);
    html + &table(&[("name", "game")], names.map(|name| ("number", *name)), &rows)
}

/// The table of a game's areas.
fn areas_of<'a>(
    claims: impl Iterator<Item = &'a Claim>,
    records: &Records,
    pictures: &Pictures<'_>,
) -> String {
    let mut rows = String::new();
    let mut last = "";
    for claim in claims {
        // The picture stands in the first of an area's rows.
        let picture = if claim.key == last { None } else { pictures.of(claim.area) };
        last = &claim.key;
        rows += &row(claim, records, picture);
    }
    let texts = [("", ""), ("name", "area"), ("", "size"), ("", "measure"), ("", "verdict")];
    let numbers = ["length", "bound", "gap", "time"].map(|name| ("number", name));
    table(&texts, numbers.into_iter().chain([("", "certified")]), &rows)
}

/// The row of a claim.
fn row(claim: &Claim, records: &Records, picture: Option<String>) -> String {
    let Claim { key, measure, standing, .. } = claim;
    let number = |value: Option<u64>| value.map_or(NOTHING.into(), |value| value.to_string());
    let known = records.get(key).filter(|record| Some(record.area) == claim.area);
    let known = known.and_then(|record| record.measures.get(measure));
    let time = known.map_or(NOTHING.into(), |known| format!("{:.2} s", known.seconds));
    let (class, verdict) = match standing {
        Standing::Optimal { .. } => ("good", "optimal"),
        Standing::Found { .. } => ("", "found"),
        Standing::Impossible => ("good", "impossible"),
        Standing::Unknown { .. } => ("bad", "none found"),
    };
    let cells = [
        format!("<td>{}</td>", picture.unwrap_or_default()),
        cell("name", claim.game_and_name().1),
        cell("", &claim.size),
        cell("", measure),
        cell(class, verdict),
        cell("number", &number(standing.length())),
        cell("number", &number(standing.bound())),
        cell("number", &percent(standing.gap())),
        cell("number", &time),
        cell("", if claim.certificate.is_some() { "yes" } else { "" }),
    ];
    format!("<tr>{}</tr>\n", cells.concat())
}

fn percent(gap: Option<f64>) -> String {
    gap.map_or(NOTHING.into(), |gap| format!("{:.1} %", 100.0 * gap))
}

/// A table with columns of texts and others, each with its class and its name.
fn table<'a>(
    texts: &[(&str, &str)],
    others: impl Iterator<Item = (&'a str, &'a str)>,
    rows: &str,
) -> String {
    let column = |class: &str, name: &str| format!("<th class=\"{class}\">{name}</th>");
    let mut head: String = texts.iter().map(|(class, name)| column(class, name)).collect();
    head.extend(others.map(|(class, name)| column(class, name)));
    format!(
        "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A cell of a table with this text.
fn cell(class: &str, text: &str) -> String {
    format!("<td class=\"{class}\">{}</td>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Facts;

    #[test]
    fn nothing_in_a_name_is_taken_for_html() {
        let claim = Claim {
            key: "robots/<script>".into(),
            measure: "length".into(),
            area: None,
            size: "<3>".into(),
            standing: Standing::Found { length: 6, bound: 4 },
            facts: Facts::default(),
            text: None,
            certificate: None,
        };
        let html = page("<b>", &[claim], &Records::new(), &[]);
        assert!(!html.contains("<script") && !html.contains("<b></") && !html.contains("<3>"));
        assert!(html.contains("<h1>&lt;b&gt;</h1>") && html.contains("&lt;script&gt;"), "{html}");
        assert!(html.contains(">50.0 %<"), "{html}");
    }
}
