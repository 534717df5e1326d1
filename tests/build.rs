//! Generates the client of `former_protocol`, as a user has it who generated it before black boxes had two objectives.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=former_protocol");
    let descriptors = protox::compile(["loto/v1/aggregator.proto"], ["former_protocol"])?;
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(descriptors)?;
    Ok(())
}
