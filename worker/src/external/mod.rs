//! External methods: programs of the user that propose rows, as processes beside the one that computes.
//!
//! ```text
//! computing process --pipes--> method
//!         |                      ^
//!         +-------> guard -------+   ends the method with all its descendants, removes its folder
//! ```
//!
//! - [`MethodProcesses`] keeps the processes of a computing process, one per program, and gives them jobs;
//! - `method_process` starts and ends one; `pipes` exchanges lines with it; `messages` says what the lines are;
//! - `hand_over` writes what a method may know of a table into a folder, as `npy` files;
//! - `guard` and `confined_start` are roles of this program in processes of their own;
//! - `confinement` keeps a method from tables, stores and the network;
//! - `environment`, `method_folder` and `python_package` are what a method finds around it.
//!
//! `PROTOCOL.md` in `deploy/python` describes the protocol for those who write methods.

mod confined_start;
mod confinement;
mod conversation;
mod environment;
mod failure;
mod guard;
mod hand_over;
mod messages;
mod method_folder;
mod method_process;
mod npy;
mod pipes;
mod pool;
mod python_package;
mod roles;

pub use confinement::Gap;
pub use pool::MethodProcesses;
pub use roles::enter;
