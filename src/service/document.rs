//! The document that describes the API: what the handlers say of themselves, what holds for all of
//! them, and the bounds of what a client may send.
//!
//! Whatever stands before the handlers (guards, bodies, queues) refuses requests to all of them
//! alike, so these answers are written down once, in [`REFUSALS`], and every operation gets those
//! that it can give. Numbers come from [`limits`](crate::service::limits) and from the site's [`Limits`]: the
//! document of a server says what that server takes.

use crate::service::limits::{
    MAX_AREA_BYTES, MAX_FINDER, MAX_FRAMES, MAX_JOB_ID, MAX_PAGE, MAX_PLAN_BYTES, MAX_TIME_DIGITS,
    PLAY_TOKEN_DIGITS,
};
use crate::service::{Limits, Problem, problem};
use crate::store::MeasureName;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::link::Link;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Object, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, OpenApi};

/// What the document begins with.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "outwit",
        description = "Plans for deterministic grid games, each proven by replaying it.\n\n\
            Errors are `application/problem+json` (RFC 9457). Status 400 says that a request \
            contradicts this document, 422 that its area or plan makes no sense; where an input \
            is wrong, both carry line and column. A method that a path does not have is answered \
            with 405 and the header `Allow`. Where the server has a token, writing calls need it."
    ),
    servers((url = "/", description = "This server")),
    security(()),
    components(schemas(Problem, JobId, PlayToken, MeasureName)),
    tags(
        (name = "areas", description = "Games, stored areas, their best known plans"),
        (name = "plans", description = "Verifying plans"),
        (name = "play", description = "Playing by hand, watching plans"),
        (name = "jobs", description = "Asking for plans"),
        (name = "server", description = "How the server is"),
    ),
)]
struct Beginning;

/// What the document begins with: the routes are added to it.
pub fn beginning() -> utoipa::openapi::OpenApi {
    let mut document = Beginning::openapi();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    document.components.get_or_insert_default().add_security_scheme("token", token);
    document
}

/// A problem that operations answer with.
struct Refusal {
    status: &'static str,
    name: &'static str,
    about: &'static str,
    header: Option<(&'static str, &'static str, Type)>,
}

const RETRY_AFTER: Option<(&str, &str, Type)> =
    Some(("Retry-After", "Seconds after which to try again.", Type::Integer));
const WWW_AUTHENTICATE: Option<(&str, &str, Type)> =
    Some(("WWW-Authenticate", "What the token is sent as: `Bearer`.", Type::String));

const NO_HEADER: Option<(&str, &str, Type)> = None;

const fn refusal(
    status: &'static str,
    name: &'static str,
    header: Option<(&'static str, &'static str, Type)>,
    about: &'static str,
) -> Refusal {
    Refusal { status, name, about, header }
}

/// All refusals that the document describes.
const REFUSALS: &[Refusal] = &[
    refusal("400", "BadRequest", NO_HEADER, "The request contradicts this document."),
    refusal("401", "Unauthorized", WWW_AUTHENTICATE, "The request lacks the server's token."),
    refusal("403", "NotYours", NO_HEADER, "Only who has asked for the job may do this."),
    refusal("404", "NotFound", NO_HEADER, "There is no such area, plan, job or game."),
    refusal("408", "TooSlow", NO_HEADER, "The request took too long to arrive."),
    refusal("410", "Gone", NO_HEADER, "The game is gone: begin again with the steps done so far."),
    refusal("413", "TooLarge", NO_HEADER, "The body, the area or the plan is too large."),
    refusal("415", "WrongMediaType", NO_HEADER, "The body is not JSON as it is."),
    refusal("421", "WrongHost", NO_HEADER, "The server does not go by this name."),
    refusal(
        "422",
        "Unreadable",
        NO_HEADER,
        "The area or the plan makes no sense, or does not fit.",
    ),
    refusal("429", "TooMany", RETRY_AFTER, "This client comes too often, or the queue is full."),
    refusal("500", "Fault", NO_HEADER, "A fault of the server; its log says more."),
    refusal("503", "Busy", RETRY_AFTER, "The server is busy, or its store does not answer."),
];

/// What handlers themselves refuse with, for their annotations.
macro_rules! refusing {
    ($($name:ident $status:literal)*) => {
        $(
            #[doc = concat!("Problem ", $status)]
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let reference = Ref::from_response_name(stringify!($name));
                    BTreeMap::from([($status.to_string(), reference.into())])
                }
            }
        )*
    };
}

/// The response 304, for annotations.
pub struct Known;

impl IntoResponses for Known {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let about = "What the client has is still right: it has sent its tag as `If-None-Match`.";
        let response = ResponseBuilder::new().description(about).build();
        BTreeMap::from([("304".to_string(), response.into())])
    }
}

/// Answers whose `id` and `key` lead on: operation and statuses.
const SUBMISSION: (&str, [&str; 2]) = ("submitJob", ["200", "202"]);
/// The operations to which they lead, with their parameters and the places of those in the answer.
const LEADS_TO: [(&str, &[(&str, &str)]); 4] = [
    ("getJob", &[("id", "$response.body#/id")]),
    ("followJob", &[("id", "$response.body#/id")]),
    ("getJobPlan", &[("id", "$response.body#/id")]),
    ("cancelJob", &[("id", "$response.body#/id"), ("x-job-key", "$response.body#/key")]),
];

/// Says where the answer to a submission leads.
fn link(operation: &mut Operation) {
    let (name, statuses) = SUBMISSION;
    if operation.operation_id.as_deref() != Some(name) {
        return;
    }
    for status in statuses {
        let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) else {
            continue;
        };
        for (to, parameters) in LEADS_TO {
            let link = Link::builder().operation_id(to);
            let link =
                parameters.iter().fold(link, |link, &(name, place)| link.parameter(name, place));
            response.links.insert(to.into(), link.build().into());
        }
    }
}

refusing! { NotYours "403" NotFound "404" Gone "410" Unreadable "422" }

impl Refusal {
    fn response(&self) -> Response {
        let problem = Ref::from_schema_name("Problem");
        let content = ContentBuilder::new().schema(Some(problem)).build();
        let response = ResponseBuilder::new().description(self.about);
        let mut response = response.content(problem::MEDIA_TYPE, content).build();
        if let Some((name, about, schema_type)) = &self.header {
            let schema = ObjectBuilder::new().schema_type(schema_type.clone()).build();
            let header =
                HeaderBuilder::new().schema(Some(schema)).description(Some(*about)).build();
            response.headers.insert((*name).into(), header.into());
        }
        response
    }

    /// Whether whatever stands before the handler of an operation can refuse so.
    fn comes_before(&self, operation: &Operation) -> bool {
        match self.status {
            "400" | "421" | "429" | "500" | "503" => true,
            "408" | "413" | "415" => operation.request_body.is_some(),
            "401" => operation.security.as_ref().is_some_and(|security| !security.is_empty()),
            _ => false,
        }
    }
}

/// The whole document: what holds for all operations added, and the bounds of a site.
pub fn complete(mut document: utoipa::openapi::OpenApi, limits: &Limits) -> Value {
    let components = document.components.get_or_insert_default();
    for refusal in REFUSALS {
        components.responses.insert(refusal.name.into(), refusal.response().into());
    }
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            link(operation);
            for refusal in REFUSALS {
                if !refusal.comes_before(operation) {
                    continue;
                }
                let reference = RefOr::from(Ref::from_response_name(refusal.name));
                let responses = &mut operation.responses.responses;
                responses.entry(refusal.status.into()).or_insert(reference);
            }
        }
    }
    let mut document = serde_json::to_value(document).unwrap_or_default();
    for (schema, property, keyword, value) in bounds(limits) {
        let place = format!("/components/schemas/{schema}/properties/{property}");
        if let Some(property) = document.pointer_mut(&place) {
            property[keyword] = value;
        }
    }
    each_object(&mut document, bound_number);
    each_object(&mut document, close_tuple);
    each_object(&mut document, cut_example);
    document
}

/// Changes all objects of a document.
fn each_object(value: &mut Value, change: fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            change(fields);
            fields.values_mut().for_each(|field| each_object(field, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, change)),
        _ => {}
    }
}

/// Closes a tuple by its length in place of `"items": false`, with which openapi-python-client reads no
/// document.
fn close_tuple(schema: &mut Map<String, Value>) {
    let length = schema.get("prefixItems").and_then(Value::as_array).map(Vec::len);
    if let Some(length) = length.filter(|_| schema.get("items") == Some(&json!(false))) {
        schema.remove("items");
        schema.insert("minItems".into(), length.into());
        schema.insert("maxItems".into(), length.into());
    }
}

/// Cuts a description before its first example, which is one for Rust: the doc comment of a type of the
/// library describes it here, too.
fn cut_example(described: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = described.get_mut("description")
        && let Some((before, _)) = text.split_once("\n\n```")
    {
        *text = before.to_string();
    }
}

/// The bounds of what a client may send: schema, property, keyword, value.
fn bounds(limits: &Limits) -> Vec<(&'static str, &'static str, &'static str, Value)> {
    vec![
        ("BudgetRequest", "seconds", "exclusiveMinimum", json!(0)),
        ("BudgetRequest", "seconds", "maximum", json!(limits.job_seconds)),
        ("BudgetRequest", "memory_mib", "minimum", json!(1)),
        ("BudgetRequest", "memory_mib", "maximum", json!(limits.job_memory_mib)),
        ("BudgetRequest", "threads", "minimum", json!(1)),
        ("BudgetRequest", "threads", "maximum", json!(limits.job_threads)),
        ("BudgetRequest", "processes", "minimum", json!(1)),
        ("BudgetRequest", "processes", "maximum", json!(limits.job_processes)),
        ("BudgetRequest", "nodes", "minimum", json!(1)),
        ("FramesRequest", "count", "maximum", json!(MAX_FRAMES)),
        ("TextRef", "text", "maxLength", json!(MAX_AREA_BYTES)),
        ("LevelsRequest", "text", "maxLength", json!(MAX_AREA_BYTES)),
        ("JobRequest", "improve", "maxLength", json!(MAX_PLAN_BYTES)),
        ("JobRequest", "begun", "maxLength", json!(MAX_PLAN_BYTES)),
        ("VerifyRequest", "by", "maxLength", json!(MAX_FINDER)),
        ("VerifyRequest", "plan", "maxLength", json!(MAX_PLAN_BYTES)),
        ("CheckRequest", "certificate", "maxLength", json!(MAX_PLAN_BYTES)),
        ("PlayRequest", "plan", "maxLength", json!(MAX_PLAN_BYTES)),
    ]
}

/// Gives a number the bounds of its type where it has no narrower ones: a reader need not know
/// what the formats of numbers mean.
fn bound_number(schema: &mut Map<String, Value>) {
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        // As the registry of formats writes them.
        let format = format.replace("u-int", "uint");
        let range = match &*format {
            "int32" => Some((json!(i32::MIN), json!(i32::MAX))),
            "int64" => Some((json!(i64::MIN), json!(i64::MAX))),
            "uint16" => Some((json!(0), json!(u16::MAX))),
            "uint32" => Some((json!(0), json!(u32::MAX))),
            "uint64" => Some((json!(0), json!(u64::MAX))),
            _ => None,
        };
        if let Some((min, max)) = range {
            schema.entry("minimum").or_insert(min);
            schema.entry("maximum").or_insert(max);
            schema.insert("format".into(), format.into());
        }
    }
}

/// The schema of the number of items on a page.
pub fn page_size() -> Object {
    let number = ObjectBuilder::new().schema_type(Type::Integer);
    number.minimum(Some(1_usize)).maximum(Some(MAX_PAGE as usize)).build()
}

fn pattern(pattern: String) -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).build()
}

/// The schema of a place in the list of jobs: time of submission and id.
pub fn job_place() -> Object {
    pattern(format!("^[0-9]{{1,{MAX_TIME_DIGITS}}}-[0-9A-Za-z]{{1,{MAX_JOB_ID}}}$"))
}

/// A job's id in a path.
pub struct JobId;

impl utoipa::PartialSchema for JobId {
    fn schema() -> RefOr<utoipa::openapi::Schema> {
        pattern(format!("^[0-9A-Za-z]{{1,{MAX_JOB_ID}}}$")).into()
    }
}

impl utoipa::ToSchema for JobId {}

/// A picture: its bytes.
pub struct Png;

impl utoipa::PartialSchema for Png {
    fn schema() -> RefOr<utoipa::openapi::Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        let schema = ObjectBuilder::new().schema_type(Type::String).format(Some(format));
        schema.description(Some("A picture in the format PNG.")).into()
    }
}

impl utoipa::ToSchema for Png {}

/// A game's token in a path.
pub struct PlayToken;

impl utoipa::PartialSchema for PlayToken {
    fn schema() -> RefOr<utoipa::openapi::Schema> {
        pattern(format!("^[0-9a-f]{{{PLAY_TOKEN_DIGITS}}}$")).into()
    }
}

impl utoipa::ToSchema for PlayToken {}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Value {
        super::super::document(&Limits::default())
    }

    #[test]
    fn every_bound_has_its_place() {
        let document = document();
        for (schema, property, keyword, value) in bounds(&Limits::default()) {
            let place = format!("/components/schemas/{schema}/properties/{property}/{keyword}");
            assert_eq!(document.pointer(&place), Some(&value), "{place}");
        }
    }

    #[test]
    fn a_submission_leads_on() {
        let document = document();
        for status in SUBMISSION.1 {
            let place = format!("/paths/~1v1~1jobs/post/responses/{status}/links");
            let links = document.pointer(&place).expect("there are links");
            assert_eq!(links["cancelJob"]["parameters"]["x-job-key"], "$response.body#/key");
            assert_eq!(links.as_object().map(|links| links.len()), Some(LEADS_TO.len()));
        }
    }

    #[test]
    fn generators_of_clients_read_it() {
        let text = document().to_string();
        assert!(text.contains("prefixItems") && !text.contains("\"items\":false"));
        assert!(!text.contains("```"), "examples are for Rust");
    }

    /// Properties that an answer has in some cases only. All others are always there, if as null, and the
    /// document says so: a client need not tell three cases apart.
    const LEFT_OUT: [(&str, &[&str]); 11] = [
        ("Effort", &["peak_bytes"]),
        ("JobResult", &["certificate"]),
        ("Level", &["unreadable"]),
        ("Marks", &["gone"]),
        ("OwnJob", &["key"]),
        ("Played", &["marks", "openings", "seen", "setup"]),
        ("Problem", &["diagnostic", "retry_after"]),
        ("Report", &["searches", "settings"]),
        ("Setup", &["plan"]),
        ("Verdict", &["frames", "plan", "remarks"]),
        ("View", &["changed", "rows"]),
    ];

    #[test]
    fn answers_say_what_they_always_have() {
        let document = document();
        for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
            // Only the schemas of requests allow no further properties.
            if schema.get("additionalProperties") == Some(&json!(false)) {
                continue;
            }
            let parts = schema["allOf"].as_array().map_or(vec![schema], |all| all.iter().collect());
            let known = LEFT_OUT.iter().find(|(known, _)| known == name).map_or(&[][..], |it| it.1);
            let mut left_out = Vec::new();
            for part in parts {
                let required: Vec<_> = part["required"].as_array().into_iter().flatten().collect();
                let fields = part["properties"].as_object().into_iter().flat_map(Map::keys);
                left_out.extend(fields.filter(|field| !required.contains(&&json!(field))));
            }
            left_out.sort_unstable();
            assert_eq!(left_out, known, "{name}");
        }
    }

    #[test]
    fn every_operation_says_how_it_refuses() {
        let document = document();
        let mut names = Vec::new();
        for (path, item) in document["paths"].as_object().expect("there are paths") {
            for (method, operation) in item.as_object().expect("a path has methods") {
                let operation_of = format!("{method} {path}: {operation}");
                names.push(operation["operationId"].as_str().expect("a name").to_string());
                let responses = operation["responses"].as_object().expect("there are answers");
                let mut needed = vec!["400", "421", "429", "500", "503"];
                if operation.get("requestBody").is_some() {
                    needed.extend(["408", "413", "415", "422"]);
                }
                assert!(needed.iter().all(|&it| responses.contains_key(it)), "{operation_of}");
                for (status, response) in responses {
                    let is_error = status.starts_with(['4', '5']);
                    assert_eq!(response.get("$ref").is_some(), is_error, "{operation_of}");
                    assert!(is_error || response["description"].is_string(), "{operation_of}");
                }
            }
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "no name is given twice: {names:?}");
        for refusal in REFUSALS {
            let content = &document["components"]["responses"][refusal.name]["content"];
            assert!(content[problem::MEDIA_TYPE].is_object(), "{content}");
        }
    }
}
