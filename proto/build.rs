//! Compiles the messages that are stored and sent to workers, with protox, so that no `protoc` is needed.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=loto");
    let descriptors = protox::compile(["loto/v1/job.proto", "loto/v1/computing.proto"], ["."])?;
    prost_build::Config::new()
        .btree_map(["."])
        .compile_fds(descriptors)?;
    Ok(())
}
