//! `outwit serve`: plans over HTTP, and the game in the browser.

use super::{Answered, Failure};
use outwit::service::{self, Service};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve plans over HTTP, and the game in the browser
#[derive(clap::Args)]
pub struct Args {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Folders and files of areas
    #[arg(long, value_name = "DIR", default_value = "areas")]
    areas: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(args.listen).await?;
        let router = service::router(Service::new(&args.areas));
        eprintln!("listening on http://{}", listener.local_addr()?);
        axum::serve(listener, router).await?;
        Ok(Answered::Yes)
    })
}
