//! Who a request is from, and for whom it is meant.
//!
//! Behind a proxy all connections come from one address: a site names its proxies, and only what
//! they report of their clients is believed. A site also says in which header they report it,
//! `X-Forwarded-For` or `Forwarded` (RFC 7239): in the other a client may have written anything.
//! The name that a request is sent to matters on a loopback address: a page from elsewhere whose
//! name leads there must not use the service of its visitor.

use crate::service::limits::MAX_RATED_CLIENTS;
use crate::service::{Problem, Service};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ipnet::IpNet;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Path that says whether the server and its store answer.
pub const HEALTH: &str = "/healthz";
/// Path that says whether the process lives, whatever its store does.
pub const LIFE: &str = "/livez";
const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// The element of `Forwarded` that names the client.
const FOR: &str = "for";

/// The client that a request is from.
#[derive(Clone, Copy)]
pub struct Client(pub IpAddr);

impl Client {
    /// The client of a request that has come through [`arrive`].
    pub fn of(request: &Request) -> Self {
        let client = request.extensions().get::<Client>().copied();
        client.unwrap_or(Client(Ipv4Addr::UNSPECIFIED.into()))
    }

    /// Whose is what the client makes the server hold: see [`network`].
    pub fn owner(self) -> Option<IpAddr> {
        Some(network(self.0))
    }
}

/// The address that limits count: an address of IPv4, the network of a subscriber of IPv6.
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

/// The header in which proxies tell who their clients are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Told {
    /// `X-Forwarded-For`: addresses and commas.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The proxies whose word is taken.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    networks: Vec<IpNet>,
    told: Told,
}

impl Proxies {
    /// These, and where they tell who their clients are.
    pub fn new(networks: Vec<IpNet>, told: Told) -> Self {
        Proxies { networks, told }
    }

    /// Whether an address is one of a proxy.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client behind a peer: the last address told that is not one of a proxy. What stands
    /// before it the client may have written itself.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        for told in self.told(headers).iter().rev() {
            if !self.contains(client) {
                break;
            }
            let Some(address) = told else { break };
            client = *address;
        }
        client
    }

    /// What proxies have told, one after another; none where it is no address.
    fn told(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let values = |name| headers.get_all(name).iter().map(|value| value.to_str().ok());
        match self.told {
            Told::XForwardedFor => values(header::HeaderName::from_static(X_FORWARDED_FOR))
                .flat_map(|value| value.unwrap_or_default().split(','))
                .map(|word| address(word.trim()))
                .collect(),
            Told::Forwarded => values(header::FORWARDED)
                .flat_map(|value| parts(value.unwrap_or_default(), ','))
                .map(|element| address(&element_for(element)?))
                .collect(),
        }
    }
}

/// Splits the value of a header, but not within quotes.
fn parts(value: &str, at: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let splits = |letter: char| {
        let ends = letter == at && !is_quoted;
        is_quoted ^= letter == '"' && !is_escaped;
        is_escaped = is_quoted && letter == '\\' && !is_escaped;
        ends
    };
    value.split(splits).map(str::trim).collect()
}

/// Whom an element of `Forwarded` is for, its quotes taken off.
fn element_for(element: &str) -> Option<String> {
    let pairs = parts(element, ';').into_iter().filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(name, _)| name.trim_end().eq_ignore_ascii_case(FOR));
    let value = values.next()?.1.trim_start();
    let Some(quoted) = value.strip_prefix('"') else { return Some(value.into()) };
    // No address has anything in it that is to be escaped.
    quoted.strip_suffix('"').map(str::to_string)
}

/// An address as proxies write it: with a port or without, IPv6 in brackets or not.
fn address(word: &str) -> Option<IpAddr> {
    let with_port = || word.parse().ok().map(|address: SocketAddr| address.ip());
    let bare = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')).unwrap_or(word);
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

/// The names under which the service may be asked.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    names: Vec<String>,
    is_open: bool,
}

impl Hosts {
    /// These names, and the machine's own. Where none are given and the address is not a loopback
    /// one, any name is right: only the site knows its names.
    pub fn new(names: &[String], listen: IpAddr) -> Self {
        let is_open = names.is_empty() && !listen.to_canonical().is_loopback();
        let names = names.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase());
        Hosts { names: names.collect(), is_open }
    }

    /// Whether a name is one of ours. An address always is: no other page is found under it.
    fn contains(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        self.is_open
            || bare.unwrap_or(&host).parse::<IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.names.contains(&host)
    }

    /// Refuses requests that are meant for other hosts.
    fn check(&self, request: &Request) -> Result<(), Problem> {
        let named: Vec<_> = request.headers().get_all(header::HOST).iter().collect();
        let host = match (request.uri().authority(), &named[..]) {
            (Some(authority), _) => authority.host().to_string(),
            (None, []) if request.version() < Version::HTTP_11 => return Ok(()),
            (None, [one]) => {
                let authority = one.to_str().ok().and_then(|one| one.parse::<Authority>().ok());
                authority.ok_or_else(no_host)?.host().to_string()
            }
            _ => return Err(no_host()),
        };
        if self.contains(&host) {
            return Ok(());
        }
        let detail = format!("this server is not {host}: a site names itself with --allow-host");
        let status = StatusCode::MISDIRECTED_REQUEST;
        Err(Problem::new(status, "wrong-host", "The wrong server", detail))
    }
}

fn no_host() -> Problem {
    Problem::bad_request("a request has one header `Host`, with a name or an address")
}

/// How many requests each client has under way.
#[derive(Debug, Default)]
pub struct UnderWay(Mutex<HashMap<IpAddr, usize>>);

/// One request of a client, until this is dropped.
pub struct Counted {
    counts: Arc<UnderWay>,
    client: IpAddr,
}

impl UnderWay {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request of a client until what is returned is dropped; none where it has the most
    /// already.
    pub fn count(self: &Arc<Self>, Client(client): Client, most: usize) -> Option<Counted> {
        let client = network(client);
        let mut counts = self.lock();
        if counts.len() >= MAX_RATED_CLIENTS && !counts.contains_key(&client) {
            return None;
        }
        let count = counts.entry(client).or_default();
        // A client that is not let in has some under way: its count goes on being of use.
        (*count < most).then(|| {
            *count += 1;
            Counted { counts: Arc::clone(self), client }
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

/// Whether a path is one that monitors ask: it is answered at any time, to anyone.
pub fn asks_health(path: &str) -> bool {
    path == HEALTH || path == LIFE
}

/// Finds out who a request is from.
pub async fn arrive(State(service): State<Service>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    if let Some(peer) = peer {
        let client = service.limits.proxies.client(peer, request.headers());
        request.extensions_mut().insert(Client(client));
    } else {
        let nobody = Client::of(&request);
        request.extensions_mut().insert(nobody);
    }
    next.run(request).await
}

/// Refuses requests that are meant for others, and more of one client than it may have at once.
/// Whether the server lives anyone may ask at any time.
pub async fn admit(State(service): State<Service>, request: Request, next: Next) -> Response {
    if let Err(problem) = service.limits.hosts.check(&request) {
        return problem.into_response();
    }
    if asks_health(request.uri().path()) {
        return next.run(request).await;
    }
    let client = Client::of(&request);
    let Some(counted) = service.under_way.count(client, service.limits.connections_each) else {
        return Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-requests",
            "Too many requests",
            "this client has too many requests under way at once",
        )
        .retry_after(crate::service::limits::BUSY_RETRY_SECONDS)
        .into_response();
    };
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Arc::new(counted));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::HeaderValue;

    fn told_in(header: Told, proxies: &[&str], peer: &str, told: &[&str]) -> String {
        let networks = proxies.iter().map(|net| net.parse().expect("it is a network")).collect();
        let mut headers = HeaderMap::new();
        for &value in told {
            let value = HeaderValue::from_str(value).expect("it is a header");
            match header {
                Told::XForwardedFor => headers.append(X_FORWARDED_FOR, value),
                Told::Forwarded => headers.append(header::FORWARDED, value),
            };
        }
        let peer = peer.parse().expect("it is an address");
        Proxies::new(networks, header).client(peer, &headers).to_string()
    }

    fn client(proxies: &[&str], peer: &str, told: &[&str]) -> String {
        told_in(Told::XForwardedFor, proxies, peer, told)
    }

    #[test]
    fn only_the_word_of_a_proxy_is_taken() {
        let proxies = ["10.0.0.0/8", "::1/128"];
        assert_eq!(client(&proxies, "9.9.9.9", &["1.2.3.4"]), "9.9.9.9");
        assert_eq!(client(&proxies, "10.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(client(&proxies, "::ffff:10.0.0.1", &["1.2.3.4:5678"]), "1.2.3.4");
        assert_eq!(client(&proxies, "::1", &["6.6.6.6, 1.2.3.4, 10.1.1.1"]), "1.2.3.4");
        assert_eq!(client(&proxies, "10.0.0.1", &["6.6.6.6", "[2001:db8::1]:80"]), "2001:db8::1");
        assert_eq!(client(&proxies, "10.0.0.1", &["1.2.3.4, unknown"]), "10.0.0.1");
        assert_eq!(client(&proxies, "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn forwarded_is_read_as_rfc_7239_has_it() {
        let client = |told: &[&str]| told_in(Told::Forwarded, &["10.0.0.0/8"], "10.0.0.1", told);
        assert_eq!(client(&["for=1.2.3.4"]), "1.2.3.4");
        assert_eq!(client(&["For=\"1.2.3.4:5678\";proto=http;by=10.0.0.9"]), "1.2.3.4");
        assert_eq!(client(&["proto=https; for=\"[2001:db8:cafe::17]:4711\""]), "2001:db8:cafe::17");
        assert_eq!(client(&["for=6.6.6.6, for=1.2.3.4", "for=10.1.1.1"]), "1.2.3.4");
        // What is quoted splits nothing.
        assert_eq!(client(&["for=1.2.3.4;host=\"a, for=6.6.6.6; \\\", for=6.6.6.6\""]), "1.2.3.4");
        for unknown in ["for=unknown", "for=_hidden", "for=\"1.2.3.4", "proto=http", "for", ""] {
            assert_eq!(client(&["for=1.2.3.4", unknown]), "10.0.0.1", "{unknown}");
        }
        let x = told_in(Told::XForwardedFor, &["10.0.0.0/8"], "10.0.0.1", &["for=1.2.3.4"]);
        assert_eq!(x, "10.0.0.1");
    }

    fn is_ours(hosts: &Hosts, version: Version, host: Option<&str>) -> bool {
        let mut request = Request::builder().version(version).uri("/");
        if let Some(host) = host {
            request = request.header(header::HOST, host);
        }
        hosts.check(&request.body(Body::empty()).expect("it is a request")).is_ok()
    }

    #[test]
    fn on_a_loopback_address_only_its_own_names_are_right() {
        let loopback = Ipv4Addr::LOCALHOST.into();
        let (h10, h11) = (Version::HTTP_10, Version::HTTP_11);
        let hosts = Hosts::new(&[], loopback);
        for right in
            ["localhost:8080", "LOCALHOST", "127.0.0.1", "[::1]:80", "a.localhost", "10.1.1.1"]
        {
            assert!(is_ours(&hosts, h11, Some(right)), "{right}");
        }
        for wrong in ["evil.example", "localhost.evil.example", "", "a b", "127.0.0.1.nip.io"] {
            assert!(!is_ours(&hosts, h11, Some(wrong)), "{wrong}");
        }
        assert!(!is_ours(&hosts, h11, None) && is_ours(&hosts, h10, None));
        let named = Hosts::new(&["Plans.example".into()], Ipv4Addr::UNSPECIFIED.into());
        assert!(is_ours(&named, h11, Some("plans.example:443")));
        assert!(!is_ours(&named, h11, Some("evil.example")));
        assert!(is_ours(&Hosts::new(&[], Ipv4Addr::UNSPECIFIED.into()), h11, Some("any.example")));
    }

    #[test]
    fn a_client_has_so_many_requests_under_way() {
        let counts = Arc::new(UnderWay::default());
        let here = Client(IpAddr::from([1, 2, 3, 4]));
        let both = (counts.count(here, 2), counts.count(here, 2));
        assert!(both.0.is_some() && both.1.is_some());
        assert!(counts.count(here, 2).is_none());
        drop(both.0);
        assert!(counts.count(here, 2).is_some());
        drop(both.1);
        assert!(counts.lock().is_empty(), "who is gone is forgotten");
    }
}
