//! The limits of the protocol, kept by the whole program: what is large, what is many, who is slow, what is refused.

mod large;
mod refused;
mod slow_reader;
mod wire;
