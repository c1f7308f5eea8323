//! One order for everybody, filters, resuming, and exactly what a slow reader loses.

mod events;
mod order;
mod resume;
mod slow;
