//! The pieces of the lab that touch a cluster, on a real one: the topic that is made for it, and the consumer that it leads.

mod child;
mod documents;
mod led;
mod scratch;
mod stepper;
