//! The binary `joi`: parses the command line and maps errors to exit codes. Everything else is library.

use std::process::ExitCode;

fn main() -> ExitCode {
    joi::cli::main()
}
