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
/// Columns of one side of a frame.
const FRAME_COLS: usize = 1;
/// Columns between keys and what they mean.
const LIST_GAP: usize = 2;
/// The help's title, which says how to leave it.
const HELP_TITLE: &str = " arrows move this, other keys close it ";
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
    frame.render_widget(Paragraph::new(bottom_line(app, screen.width.into())), below);
    if let Mode::Help(from) = app.mode() {
        draw_help(frame, screen, app, from);
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

fn bottom_line(app: &App<'_>, room: usize) -> Line<'static> {
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
        Some((Command::Hint, "hint")),
        (app.level().1 > 1).then_some((Command::NextLevel, "next level")),
        Some((Command::Watch, "watch")),
        aim,
        Some((Command::Overlay, "marks")),
        app.has_fog().then_some((Command::Fog, "fog")),
        Some((Command::Help, "help")),
        Some((Command::Leave, "leave")),
    ];
    let mut words: Vec<String> = shown.into_iter().flatten().filter_map(short).collect();
    // The last two, which are the help and how to leave, stay.
    while words.len() > 2 && words.join("  ").chars().count() > room {
        words.remove(words.len() - 3);
    }
    Line::from(Span::styled(words.join("  "), Style::new().fg(Color::DarkGray)))
}

fn draw_help(frame: &mut Frame<'_>, screen: Rect, app: &App<'_>, from: u16) {
    let keys = app.keys();
    let game = game_lines(&keys);
    let commands: Vec<(String, String)> = BINDINGS
        .iter()
        .map(|binding| (binding.names(&keys).join(" "), binding.about.to_string()))
        .collect();
    let frames = 2 * FRAME_COLS;
    let (left, width) = (list_width(&game), usize::from(screen.width));
    let lists = match width >= left + list_width(&commands) + 2 * frames {
        true => vec![
            (left + frames, format!(" {} ", app.game()), list_lines(&game, left)),
            (
                width - left - frames,
                HELP_TITLE.into(),
                list_lines(&commands, width - left - 2 * frames),
            ),
        ],
        false => {
            let all = [game, commands].concat();
            vec![(width, HELP_TITLE.into(), list_lines(&all, width.saturating_sub(frames)))]
        }
    };
    let longest = lists.iter().map(|(_, _, lines)| lines.len()).max().unwrap_or(0);
    let height = u16::try_from(longest + 2).unwrap_or(u16::MAX).min(screen.height);
    let area = Rect { height, y: screen.y + (screen.height - height) / 2, ..screen };
    frame.render_widget(Clear, area);
    let from = from.min(u16::try_from(longest).unwrap_or(u16::MAX).saturating_sub(height - 2));
    let mut x = area.x;
    for (width, title, lines) in lists {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        let block = Block::bordered().title(title);
        let list = Paragraph::new(lines).scroll((from, 0)).block(block);
        frame.render_widget(list, Rect { x, width, ..area });
        x = x.saturating_add(width);
    }
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

/// Columns of the longest of some texts.
fn longest<'t>(texts: impl Iterator<Item = &'t String>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Columns of a list that nothing is wrapped in.
fn list_width(list: &[(String, String)]) -> usize {
    let names = longest(list.iter().map(|(names, _)| names));
    names + LIST_GAP + longest(list.iter().map(|(_, about)| about))
}

/// A list in lines of at most `room` columns: what is too long goes on in the next line.
fn list_lines(list: &[(String, String)], room: usize) -> Vec<Line<'static>> {
    let wanted = longest(list.iter().map(|(names, _)| names));
    // Long names leave half of the room to what they mean.
    let width = wanted.min(room.saturating_sub(LIST_GAP) / 2);
    let room = room.saturating_sub(width + LIST_GAP).max(1);
    let mut lines = Vec::new();
    for (names, about) in list {
        let (names, about) = (wrapped(names, width.max(1)), wrapped(about, room));
        for row in 0..names.len().max(about.len()) {
            let part = |parts: &[String]| parts.get(row).cloned().unwrap_or_default();
            lines.push(Line::from(vec![
                Span::styled(
                    format!("{:width$}{:LIST_GAP$}", part(&names), ""),
                    Style::new().fg(Color::Cyan),
                ),
                Span::raw(part(&about)),
            ]));
        }
    }
    lines
}

/// The words of a text in lines of at most `room` columns; a word that is longer has a line of its own.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
