//! The fleet: which processes are agents, and what each agent does.

pub mod acp;
pub mod signature;
