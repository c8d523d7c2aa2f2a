//! The consumer that the lab leads on a real cluster: its steps come by standard input, its answers go to standard output.

use crate::error::{Code, Error, Exit};
use crate::lab::live::child;
use std::io::BufRead;

/// Takes step after step until it is told to leave, or its input ends.
pub fn run() -> Exit {
    child::serve(&mut std::io::stdin().lock().lines(), &mut |reply| {
        let text = serde_json::to_string(reply)
            .map_err(|error| Error::new(Code::Internal, "an answer could not be made").caused_by(error))?;
        match super::print(&text)? {
            true => Ok(()),
            false => Err(Error::new(Code::Io, "nobody reads the answers any more")),
        }
    })
}
