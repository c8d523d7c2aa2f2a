//! `cargo xtask kafka`: a broker that stays until it is stopped.

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use etcetera::BaseStrategy;
use local_kafka::Standing;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start it, empty, and wait until it is ready
    Start {
        /// The port on 127.0.0.1
        #[arg(long, default_value_t = 9092)]
        port: u16,
    },
    /// Stop it and remove its data
    Stop,
    /// Tell whether it runs, and where
    Status,
}

pub fn run(command: &Command) -> Result<(), Box<dyn Error>> {
    let standing = Standing::at(&state_dir()?);
    match command {
        Command::Start { port } => {
            eprintln!("starting Kafka {} ...", version());
            let running = standing.start(*port)?;
            eprintln!("process {}; stop it by `cargo xtask kafka stop`", running.pid);
            println!("export KREWIND_BOOTSTRAP_SERVER={}", running.bootstrap);
        }
        Command::Stop => match standing.stop()? {
            Some(running) => println!("stopped process {}, {}", running.pid, running.bootstrap),
            None => println!("not running"),
        },
        Command::Status => match standing.status()? {
            Some(running) => println!("running: process {}, {}", running.pid, running.bootstrap),
            None => println!("not running"),
        },
    }
    Ok(())
}

pub fn version() -> String {
    std::env::var("KREWIND_KAFKA_VERSION")
        .ok()
        .filter(|version| !version.is_empty())
        .unwrap_or_else(|| local_kafka::DEFAULT_VERSION.to_owned())
}

/// `$XDG_STATE_HOME/krewind/local-kafka`.
pub fn state_dir() -> Result<PathBuf, Box<dyn Error>> {
    let base = etcetera::choose_base_strategy()?;
    let state = base.state_dir().unwrap_or_else(|| base.data_dir());
    Ok(state.join("krewind").join("local-kafka"))
}
