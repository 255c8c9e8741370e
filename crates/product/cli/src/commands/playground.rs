//! `serval playground`: the page, served on this machine.
//!
//! Builds without the feature `playground` say how to get it, and nothing else.

use std::process::ExitCode;

use crate::args::Playground;
use crate::failure::Failure;

/// Serves the page until it is interrupted.
#[cfg(feature = "playground")]
pub(crate) fn run(args: &Playground) -> Result<ExitCode, Failure> {
    let port = args.port;
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => Failure::message(format!("port {port} is in use: --port P takes another, --port 0 a free one")),
        _ => Failure::message(format!("cannot listen on port {port} of this machine: {error}")),
    })?;
    let address = listener.local_addr().map_err(|error| Failure::message(format!("cannot listen on this machine: {error}")))?;
    crate::output::write_to(None, &format!("the playground is at http://{address}/ until Ctrl-C\n"))?;
    match serval_playground::serve(&listener, serval_playground::PAGE) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Failure::message(format!("cannot listen any more: {error}"))),
    }
}

/// Says how to get the page.
#[cfg(not(feature = "playground"))]
pub(crate) fn run(args: &Playground) -> Result<ExitCode, Failure> {
    let _ = args.port;
    let how = "releases have it, and `scripts/playground --build` with `cargo build --release -p serval-cli --features playground`";
    Err(Failure::message(format!("this build has no playground: {how}")))
}
