//! A plan that goes to a file instead of the brokers.

use super::{Writing, rendered};
use crate::cli::Output;
use crate::error::{Exit, Result};
use crate::model::visible;
use crate::plan::saved;
use crate::render;
use crate::report::GroupOutcome;
use crate::sink::FileTarget;
use std::path::Path;

impl Writing<'_> {
    /// Saves the plan under this name, which is new, and shows it. A plan that could never be applied is refused, without a file.
    pub fn save(mut self, path: &Path) -> Result<Exit> {
        let context = self.context;
        for warning in &self.report.warnings {
            context.ui.warn(&warning.message);
        }
        for (group, work) in self.report.groups.iter_mut().zip(&mut self.works) {
            if work.refusal.as_ref().is_some_and(|refusal| !saved::is_lasting(refusal)) {
                group.would_refuse = work.refusal.take();
                if let Some(refusal) = &mut group.would_refuse {
                    // Brokers name members in any order; the same state is to give the same file.
                    refusal.members.sort_by(|a, b| (&a.client_id, &a.member_id).cmp(&(&b.client_id, &b.member_id)));
                }
            }
        }
        if let Some(exit) = self.refuse_planned()? {
            return Ok(exit);
        }
        self.sum_up();
        let mut json = render::json(&self.report);
        if !json.ends_with('\n') {
            json.push('\n');
        }
        crate::commands::save::write(FileTarget::create(path)?, &json)?;
        match context.output {
            Output::Json | Output::Csv | Output::Prometheus | Output::Spark => self.emit()?,
            Output::Wide => context.emit(&rendered(context, &self.report))?,
            Output::Table | Output::Markdown => {
                let cluster = format!("{} ({})", self.connection.properties.bootstrap_servers(), self.client.id());
                context.emit(&render::reset::plan(&self.report, context.table_style(), &cluster))?;
            }
        }
        for group in self.report.groups.iter().filter(|group| group.total.skips > 0) {
            context.ui.warn(&format!(
                "{} offsets that `{}` has not read would never be delivered",
                group.total.skips, group.group
            ));
        }
        for refusal in self.report.groups.iter().filter_map(|group| group.would_refuse.as_ref()) {
            context.ui.warn(&format!("a write would be refused now: {}", refusal.message));
        }
        let shown = path.display().to_string();
        let shown = visible(&shown);
        context.ui.status(&match self.report.outcome {
            GroupOutcome::NothingToDo => format!("saved to `{shown}`, a plan with nothing to do; nothing was written"),
            _ => {
                format!("saved to `{shown}`; nothing was written; `krewind apply {shown}` writes it, if it still holds")
            }
        });
        Ok(Exit::Done)
    }
}
