//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Every agent and every pane has a guard, which is this program: what the loader writes into a position-independent
    // one, half a megabyte of addresses, is memory of each of them alone. At fixed addresses all of them share the file's.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
