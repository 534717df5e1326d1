//! Compiles the gRPC service with protox, so that no `protoc` is needed.

use std::error::Error;

/// The messages of `job.proto`, which `loto-proto` has already.
const OF_JOB: [&str; 12] = [
    "Blackbox",
    "ColumnScale",
    "Job",
    "Method",
    "ProgramBlob",
    "ProgramFile",
    "Series",
    "StoredTrace",
    "Sweep",
    "TableBlob",
    "TableSpec",
    "Trace",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../loto");
    let descriptors = protox::compile(["loto/v1/aggregator.proto"], [".."])?;
    let descriptor_file = std::path::PathBuf::from(std::env::var("OUT_DIR")?).join("loto.bin");
    std::fs::write(descriptor_file, prost::Message::encode_to_vec(&descriptors))?;
    let mut builder = tonic_prost_build::configure().btree_map(".");
    for message in OF_JOB {
        builder = builder.extern_path(
            format!(".loto.v1.{message}"),
            format!("::loto_proto::wire::{message}"),
        );
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}
