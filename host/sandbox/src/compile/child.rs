//! Starts the process that compiles, hands it the bytes and waits for it.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::Error;
use crate::{limits, text};

/// How often the process is looked at.
const POLL: Duration = Duration::from_millis(5);
/// Bytes read of what it says on standard error.
const COMPLAINT: u64 = 4096;

/// Runs the command with the component on its standard input.
pub(super) fn run(mut command: Command, bytes: &[u8]) -> Result<(), Error> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Error::Child)?;
    // A child that gives up early closes its end; its own message says more than the broken pipe.
    let sent = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(bytes));
    let status = wait(&mut child)?;
    if status.success() {
        return sent.map_err(Error::Child);
    }
    Err(failure(&mut child, status))
}

fn wait(child: &mut Child) -> Result<ExitStatus, Error> {
    let deadline = Instant::now() + limits::COMPILATION;
    loop {
        if let Some(status) = child.try_wait().map_err(Error::Child)? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            child.kill().and_then(|()| child.wait()).map_err(Error::Child)?;
            return Err(Error::TooSlow(limits::COMPILATION.as_secs()));
        }
        std::thread::sleep(POLL);
    }
}

fn failure(child: &mut Child, status: ExitStatus) -> Error {
    let mut said = String::new();
    if let Some(errors) = child.stderr.take() {
        // What cannot be read is left out.
        let _ = errors.take(COMPLAINT).read_to_string(&mut said);
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).map(|line| text::clean(line, 512));
    match (status.code(), last) {
        (Some(_), Some(line)) => Error::Invalid(line),
        _ => Error::Ended(status.to_string()),
    }
}
