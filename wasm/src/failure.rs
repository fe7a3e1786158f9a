//! Why there is no answer, as the API's problems say it (RFC 9457).

use outwit::diagnostic::Diagnostic;
use outwit::play::Unfit;
use serde_json::{Value, json};

/// Upper limit of the characters of a diagnostic's line that are reported.
const SHOWN_CHARACTERS: usize = 200;

/// Why there is no answer.
pub struct Failure {
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    at: Option<Box<Diagnostic>>,
}

impl Failure {
    fn new(kind: &'static str, title: &'static str, status: u16, detail: String) -> Failure {
        Failure { kind, title, status, detail, at: None }
    }

    fn of(kind: &'static str, title: &'static str, at: Diagnostic) -> Failure {
        let detail = at.to_string();
        Failure { at: Some(Box::new(at)), ..Failure::new(kind, title, 422, detail) }
    }

    /// The request itself makes no sense.
    pub fn bad_request(detail: impl Into<String>) -> Failure {
        Failure::new("bad-request", "The request makes no sense", 400, detail.into())
    }

    /// The request asks for what the area or the game does not have.
    pub fn unfit(detail: impl Into<String>) -> Failure {
        Failure::new("unfit", "The request does not fit", 422, detail.into())
    }

    /// The game is not held any more: it is to be begun again.
    pub fn gone() -> Failure {
        let detail = "begin again with the steps done so far";
        Failure::new("game-gone", "The game is gone", 410, detail.into())
    }

    /// The area cannot be read.
    pub fn bad_area(at: Diagnostic) -> Failure {
        Failure::of("bad-area", "The area cannot be read", at)
    }

    /// The plan cannot be read.
    pub fn bad_plan(at: Diagnostic) -> Failure {
        Failure::of("bad-plan", "The plan cannot be read", at)
    }

    /// The certificate cannot be read.
    pub fn bad_certificate(at: Diagnostic) -> Failure {
        Failure::of("bad-certificate", "The certificate cannot be read", at)
    }

    /// The failure in JSON.
    pub fn json(&self) -> Value {
        let mut problem = json!({
            "type": format!("/problems/{}", self.kind), "title": self.title,
            "status": self.status, "detail": self.detail,
        });
        if let Some(at) = &self.at {
            problem["diagnostic"] = diagnostic_json(at);
        }
        problem
    }
}

/// A diagnostic in JSON.
pub fn diagnostic_json(at: &Diagnostic) -> Value {
    json!({
        "file": at.file, "line": at.line, "column": at.column, "length": at.length,
        "message": at.message, "help": at.help,
        "text": at.text.chars().take(SHOWN_CHARACTERS).collect::<String>(),
    })
}

impl From<Unfit> for Failure {
    fn from(unfit: Unfit) -> Failure {
        Failure::unfit(unfit.to_string())
    }
}
