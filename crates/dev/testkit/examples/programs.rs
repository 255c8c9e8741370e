//! Writes random programs of all shapes: `cargo run -p serval-testkit --example programs -- COUNT DIRECTORY`.

use std::io::{Error, Result};
use std::path::PathBuf;

use serval_testkit::random::{Shape, random_program};

fn main() -> Result<()> {
    let mut given = std::env::args_os().skip(1);
    let count = given.next().and_then(|count| count.to_str()?.parse::<u64>().ok());
    let (Some(count), Some(directory)) = (count, given.next().map(PathBuf::from)) else {
        return Err(Error::other("usage: programs COUNT DIRECTORY"));
    };
    std::fs::create_dir_all(&directory)?;
    for (seed, shape) in (0..count).zip(Shape::WITH_EDGES.into_iter().cycle()) {
        std::fs::write(directory.join(format!("random-{seed:05}.ser")), random_program(seed, shape))?;
    }
    Ok(())
}
