//! The program of an external method, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::{check_error, told_identifier};
use loto_proto::external_program::{ExternalProgram, stays_inside};
use loto_proto::identity::ProgramId;

fuzz_target!(|bytes: &[u8]| {
    let Err(error) = ExternalProgram::decode(bytes, ProgramId([0; 16])) else {
        panic!("a program whose bytes hash to zero");
    };
    let error = error.to_string();
    check_error(&error);
    let Some(id) = told_identifier(&error) else {
        return;
    };
    let program = match ExternalProgram::decode(bytes, id) {
        Ok(program) => program,
        Err(error) => return check_error(error),
    };
    assert!(program.files.iter().all(|file| stays_inside(&file.path)));
    check_error(program.command_line());
    let (id, bytes) = program.encode();
    assert_eq!(ExternalProgram::decode(&bytes, id).unwrap(), program);
});
