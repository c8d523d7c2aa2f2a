//! What is looked at before and after: lists, comparisons, conditions, the table that is redrawn, and the records at a commit.

mod compare;
mod conditions;
mod lists;
mod records;
mod watched;
