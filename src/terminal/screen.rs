//! Draws the app: the board, its side, a line below, the help.

use super::app::{App, Command, Mode};
use super::input::BINDINGS;
use crate::games::{Fact, Key, Mark, Role, Status, View};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

/// Columns of the side, its frame included.
const SIDE_COLS: u16 = 28;
/// Least number of columns for the board when the side is shown.
const LEAST_BOARD_COLS: u16 = 20;
/// The smallest screen that anything is drawn on.
const LEAST_SCREEN: (u16, u16) = (16, 4);

/// Draws the app onto the whole screen.
pub fn draw(frame: &mut Frame<'_>, app: &App<'_>) {
    let screen = frame.area();
    if screen.width < LEAST_SCREEN.0 || screen.height < LEAST_SCREEN.1 {
        frame.render_widget(Paragraph::new("too small"), screen);
        return;
    }
    let [above, below] =
        Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(screen);
    let side = app.shows_side() && above.width >= SIDE_COLS + LEAST_BOARD_COLS;
    let side_cols = if side { SIDE_COLS } else { 0 };
    let [pane, side] =
        Layout::horizontal([Constraint::Min(1), Constraint::Length(side_cols)]).areas(above);
    let wide = app.board().cols.saturating_mul(2) <= u32::from(pane.width);
    let cell_cols = if wide { 2 } else { 1 };
    let view = app.view(pane.height.into(), u32::from(pane.width) / cell_cols);
    draw_board(frame.buffer_mut(), pane, app, &view, cell_cols as u16);
    if side_cols > 0 {
        draw_side(frame, side, app, &view);
    }
    frame.render_widget(Paragraph::new(bottom_line(app)), below);
    if app.mode() == Mode::Help {
        draw_help(frame, screen, app);
    }
}

/// Where the cells of a view stand on the screen.
struct Place<'v> {
    view: &'v View,
    left: u16,
    top: u16,
    cell_cols: u16,
}

impl Place<'_> {
    /// The columns of a cell on the screen, where it is in the view.
    fn cell(&self, row: i64, col: i64) -> Option<Rect> {
        let window = self.view.window;
        window.contains(row, col).then(|| {
            let (down, right) = ((row - window.row) as u16, (col - window.col) as u16);
            let x = self.left + right * self.cell_cols;
            Rect { x, y: self.top + down, width: self.cell_cols, height: 1 }
        })
    }
}

fn draw_board(buffer: &mut Buffer, pane: Rect, app: &App<'_>, view: &View, cell_cols: u16) {
    let (rows, cols) = (view.window.rows as u16, view.window.cols as u16 * cell_cols);
    let place = Place {
        view,
        left: pane.x + pane.width.saturating_sub(cols) / 2,
        top: pane.y + pane.height.saturating_sub(rows) / 2,
        cell_cols,
    };
    for (row, letters) in (view.window.row..).zip(&view.rows) {
        for (col, letter) in (view.window.col..).zip(letters.chars()) {
            let Some(area) = place.cell(row, col) else { continue };
            let hidden = app.is_hidden(row, col);
            let (letter, role) =
                if hidden { (' ', Role::Unknown) } else { (letter, app.role(letter)) };
            let style = role_style(role);
            for x in area.x..area.right() {
                // A wide wall has no gaps; anything else stands at the left of its cell.
                let shown = if x == area.x || role == Role::Wall { letter } else { ' ' };
                if let Some(cell) = buffer.cell_mut((x, area.y)) {
                    cell.set_char(shown).set_style(style);
                }
            }
        }
    }
    for mark in app.shown(view) {
        draw_mark(buffer, &place, mark);
    }
    if let Mode::Aim(row, col) = app.mode()
        && let Some(area) = place.cell(row, col)
    {
        buffer.set_style(area, Style::new().bg(Color::White).fg(Color::Black));
    }
}

fn draw_mark(buffer: &mut Buffer, place: &Place<'_>, mark: &Mark) {
    let style = mark_style(mark.kind);
    let mut paint = |row, col| {
        if let Some(area) = place.cell(row, col) {
            buffer.set_style(area, style);
        }
    };
    paint(mark.row, mark.col);
    if let Some(to) = mark.to {
        line((mark.row, mark.col), to).for_each(|(row, col)| paint(row, col));
    }
}

/// The cells of a straight line from one cell to another, without the first.
fn line(from: (i64, i64), to: (i64, i64)) -> impl Iterator<Item = (i64, i64)> {
    let (rows, cols) = (to.0 - from.0, to.1 - from.1);
    let steps = rows.abs().max(cols.abs());
    // Rounds to the nearest cell, halves away from the start.
    let part = move |length: i64, step: i64| {
        (2 * length * step + length.signum() * steps).div_euclid(2 * steps.max(1))
    };
    (1..=steps).map(move |step| (from.0 + part(rows, step), from.1 + part(cols, step)))
}

fn role_style(role: Role) -> Style {
    let bold = |colour| Style::new().fg(colour).add_modifier(Modifier::BOLD);
    match role {
        Role::Floor => Style::new().fg(Color::DarkGray),
        Role::Unknown => Style::new().bg(Color::Indexed(233)),
        Role::Wall => Style::new().fg(Color::Gray).bg(Color::Indexed(238)),
        Role::Player => bold(Color::Yellow),
        Role::Goal => bold(Color::Green),
        Role::Thing => bold(Color::Cyan),
        Role::Settled => Style::new().fg(Color::Green),
        Role::Walker => bold(Color::Magenta),
        Role::Hunter => bold(Color::Red),
        Role::Shooter => bold(Color::LightRed),
        Role::Trap => bold(Color::LightMagenta),
        Role::Blast => bold(Color::Yellow).bg(Color::Red),
    }
}

/// What can be thrown to shows in the letter's colour, all else in the cell's: both may be true.
fn mark_style(kind: &str) -> Style {
    let background = |index| Style::new().bg(Color::Indexed(index));
    match kind {
        "throw" => Style::new().fg(Color::LightGreen),
        "danger" | "stuck" => background(52),
        "dead" => background(236),
        "hearing" => background(18),
        "target" => background(58),
        _ => background(23),
    }
}

fn draw_side(frame: &mut Frame<'_>, area: Rect, app: &App<'_>, view: &View) {
    let mut lines =
        vec![Line::from(Span::styled(app.name(), Style::new().add_modifier(Modifier::BOLD)))];
    let (word, colour) = match app.status() {
        Status::Playing => ("playing", Color::Gray),
        Status::Won => ("WON", Color::Green),
        Status::Lost(_) => ("LOST", Color::Red),
    };
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    lines.push(Line::from(Span::styled(word, style)));
    if let Status::Lost(why) = app.status() {
        lines.push(Line::from(Span::styled(why, Style::new().fg(colour))));
    }
    for Fact { name, value } in app.facts(view) {
        lines.push(Line::from(vec![
            Span::styled(name, Style::new().fg(Color::Cyan)),
            Span::raw(": "),
            Span::raw(value.to_string()),
        ]));
    }
    let block = Block::bordered().title(format!(" {} ", app.game()));
    frame.render_widget(Paragraph::new(lines).block(block).wrap(Wrap { trim: false }), area);
}

fn bottom_line(app: &App<'_>) -> Line<'static> {
    if let Mode::Aim(..) = app.mode()
        && app.message().is_empty()
    {
        return Line::from("aim with the arrows, Enter to act, another key to leave it");
    }
    if !app.message().is_empty() {
        let colour = match app.status() {
            Status::Playing => Color::Yellow,
            Status::Won => Color::Green,
            Status::Lost(_) => Color::Red,
        };
        return Line::from(Span::styled(app.message().to_string(), Style::new().fg(colour)));
    }
    let keys = app.keys();
    let short = |(command, word): (Command, &str)| {
        let binding = BINDINGS.iter().find(|binding| binding.command == command)?;
        Some(format!("{} {word}", binding.names(&keys).first()?))
    };
    let aim = app.can_aim().then_some((Command::Aim, "aim"));
    let shown = [
        Some((Command::Undo, "undo")),
        Some((Command::Redo, "redo")),
        Some((Command::Restart, "restart")),
        Some((Command::Watch, "watch")),
        aim,
        Some((Command::Overlay, "marks")),
        app.has_fog().then_some((Command::Fog, "fog")),
        Some((Command::Help, "help")),
        Some((Command::Leave, "leave")),
    ];
    let words: Vec<String> = shown.into_iter().flatten().filter_map(short).collect();
    Line::from(Span::styled(words.join("  "), Style::new().fg(Color::DarkGray)))
}

fn draw_help(frame: &mut Frame<'_>, screen: Rect, app: &App<'_>) {
    let keys = app.keys();
    let game = game_lines(&keys);
    let commands: Vec<(String, String)> = BINDINGS
        .iter()
        .map(|binding| (binding.names(&keys).join(" "), binding.about.to_string()))
        .collect();
    let height = (game.len().max(commands.len()) as u16 + 2).min(screen.height);
    let area = Rect { height, y: screen.y + (screen.height - height) / 2, ..screen };
    frame.render_widget(Clear, area);
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(38), Constraint::Percentage(62)]).areas(area);
    draw_list(frame, left, format!(" {} ", app.game()), &game);
    draw_list(frame, right, " any key closes this ".into(), &commands);
}

/// The game's keys, those of one step on one line.
fn game_lines(keys: &[Key]) -> Vec<(String, String)> {
    let mut lines: Vec<(&str, String, String)> = Vec::new();
    for key in keys {
        match lines.iter_mut().find(|(step, ..)| *step == key.step) {
            Some((_, names, _)) => *names += &format!(" {}", key.key),
            None => lines.push((&key.step, key.key.clone(), key.about.clone())),
        }
    }
    lines.into_iter().map(|(_, names, about)| (names, about)).collect()
}

fn draw_list(frame: &mut Frame<'_>, area: Rect, title: String, list: &[(String, String)]) {
    let width = list.iter().map(|(names, _)| names.chars().count()).max().unwrap_or(0);
    let lines: Vec<Line<'_>> = list
        .iter()
        .map(|(names, about)| {
            Line::from(vec![
                Span::styled(format!("{names:width$}  "), Style::new().fg(Color::Cyan)),
                Span::raw(about.as_str()),
            ])
        })
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}
