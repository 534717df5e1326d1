//! Compiles the service of `loto host` with protox, so that no `protoc` is needed.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../loto/v1/host.proto");
    let descriptors = protox::compile(["loto/v1/host.proto"], [".."])?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
