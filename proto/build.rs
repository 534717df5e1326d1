//! Compiles the `.proto` files with protox, so that no `protoc` is needed.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=loto");
    let descriptors = protox::compile(
        [
            "loto/v1/job.proto",
            "loto/v1/aggregator.proto",
            "loto/v1/computing.proto",
        ],
        ["."],
    )?;
    let descriptor_file = std::path::PathBuf::from(std::env::var("OUT_DIR")?).join("loto.bin");
    std::fs::write(descriptor_file, prost::Message::encode_to_vec(&descriptors))?;
    tonic_prost_build::configure()
        .btree_map(".")
        .compile_fds(descriptors)?;
    Ok(())
}
