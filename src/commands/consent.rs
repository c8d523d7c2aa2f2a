//! The words that agree to a write, and groups that `--yes` alone does not write.

use super::writing::Writing;
use crate::error::Code;
use crate::plan::guard;
use crate::report::GroupOutcome;

impl Writing<'_> {
    /// What a person types to agree: the group, or how many there are; behind the profile, where there is one.
    pub(super) fn words(&self) -> String {
        let asked = self.asked();
        let words = match asked.as_slice() {
            [only] => self.report.groups[*only].group.clone(),
            several => several.len().to_string(),
        };
        match self.context.settings.profile() {
            Some(profile) => format!("{profile}/{words}"),
            None => words,
        }
    }

    /// The places of the groups that something would be written to, where nothing keeps it from that.
    fn asked(&self) -> Vec<usize> {
        (0..self.report.groups.len())
            .filter(|&place| {
                self.report.groups[place].outcome == GroupOutcome::Planned
                    && self.works.get(place).is_none_or(|work| work.refusal.is_none())
            })
            .collect()
    }

    /// Under `--yes`: refuses protected groups without the right `--confirm`, and everything under a wrong one. Every write of a
    /// read-only run is refused here too, whatever its command thought of.
    pub(super) fn consent(&mut self) {
        let asked = self.asked();
        let settings = &self.context.settings;
        if self.context.connect.read_only {
            for place in asked {
                let message = format!("this run is read-only; {}", settings.read_only_hint());
                self.works[place].refusal = Some(guard::refused(Code::ReadOnly, message));
            }
            return;
        }
        if !self.agreement.yes {
            return;
        }
        let words = self.words();
        let confirmed = self.agreement.confirm.as_deref();
        if confirmed == Some(words.as_str()) {
            return;
        }
        for place in asked {
            let group = &self.report.groups[place].group;
            let protected = settings.protects(group);
            let refusal = match confirmed {
                Some(given) if protected => guard::refused(
                    Code::Protected,
                    format!("group `{group}` is protected, and `--confirm` gives `{given}`, not `{words}`"),
                ),
                Some(given) => guard::refused(
                    Code::Declined,
                    format!("`--confirm` gives `{given}`, and a person would type `{words}`"),
                ),
                None if protected => guard::refused(
                    Code::Protected,
                    format!("group `{group}` is protected, so `--yes` needs `--confirm` with `{words}`"),
                ),
                None => continue,
            };
            self.works[place].refusal = Some(refusal);
        }
    }

    /// Which of the groups are protected, in a line below the plan; nothing where none is.
    pub(super) fn protected_line(&self) -> String {
        let protected: Vec<String> = self
            .asked()
            .into_iter()
            .map(|place| &self.report.groups[place].group)
            .filter(|group| self.context.settings.protects(group))
            .map(|group| format!("`{}`", crate::model::visible(group)))
            .collect();
        if protected.is_empty() { String::new() } else { format!("protected: {}\n", protected.join(", ")) }
    }
}
