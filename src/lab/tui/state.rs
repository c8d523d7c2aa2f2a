//! What the screen shows, and what a key does to it. Pure: no terminal.

use crate::lab::model::{CommitMode, Happened, LARGEST_BATCH, Lab, Refused, Settings, Step};
use crate::lab::scenario::{SCENARIOS, Scenario};
use crate::lab::script::{self, Action, Course};
use crate::lab::sink::SinkMode;
use crate::lab::{walk, words};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// New events of one key.
const PRODUCED: u32 = 3;

/// The longest input that the prompt takes.
const LONGEST_INPUT: usize = 12;

/// Where scrolling the help ends at the latest.
const LAST_HELP_LINE: usize = 40;

/// What follows from a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The screen stays.
    Stay,
    /// The person has had enough.
    Quit,
    /// Ctrl-C.
    Interrupt,
}

/// What keys mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Each key is an action.
    Acting,
    /// A place in the log is being typed.
    Rewinding(String),
    /// The help is shown from this line on.
    Help(usize),
}

/// A line of what happened so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The how many-eth thing it was; `None` for what was refused.
    pub number: Option<usize>,
    /// In words.
    pub text: String,
}

/// A scenario under way.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// Which.
    pub scenario: &'static Scenario,
    /// What it does.
    pub actions: Vec<Action>,
    /// How many of them are behind.
    pub done: usize,
    /// The one in the middle of which it stands.
    course: Option<Course>,
}

impl Lesson {
    fn new(scenario: &'static Scenario) -> Lesson {
        // A test parses each script.
        Lesson { scenario, actions: scenario.actions().unwrap_or_default(), done: 0, course: None }
    }

    /// Whether nothing of it is left.
    pub fn is_over(&self) -> bool {
        self.done >= self.actions.len()
    }

    /// Its place in the list, from 1.
    pub fn number(&self) -> usize {
        SCENARIOS.iter().position(|scenario| scenario.name == self.scenario.name).map_or(0, |place| place + 1)
    }

    /// The step that it takes next.
    pub fn next_step(&self, lab: &Lab) -> Option<Step> {
        self.clone().step(lab).ok().flatten()
    }

    /// Gives out its next step.
    fn step(&mut self, lab: &Lab) -> Result<Option<Step>, Refused> {
        while let Some(&action) = self.actions.get(self.done) {
            let course = self.course.get_or_insert_with(|| Course::new(action, lab));
            if let Some(step) = course.next(lab)? {
                return Ok(Some(step));
            }
            self.done += 1;
            self.course = None;
        }
        Ok(None)
    }

    /// Goes on to the next action where the one under way has no step left.
    fn settle(&mut self, lab: &Lab) {
        let over = |course: &Course| matches!(course.clone().next(lab), Ok(None));
        if self.course.as_ref().is_some_and(over) {
            self.done += 1;
            self.course = None;
        }
    }
}

/// What undo brings back.
#[derive(Debug, Clone)]
struct Moment {
    lab: Lab,
    lesson: Option<Lesson>,
    told: usize,
    number: usize,
}

/// All that the screen shows.
#[derive(Debug, Clone)]
pub struct State {
    lab: Lab,
    lesson: Option<Lesson>,
    told: Vec<Told>,
    number: usize,
    before: Vec<Moment>,
    mode: Mode,
}

impl State {
    /// The beginning.
    pub fn new(settings: Settings, scenario: Option<&'static Scenario>) -> State {
        State {
            lab: Lab::new(scenario.map_or(settings, |scenario| scenario.settings)),
            lesson: scenario.map(Lesson::new),
            told: Vec::new(),
            number: 0,
            before: Vec::new(),
            mode: Mode::Acting,
        }
    }

    /// The world.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// The scenario.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// What happened so far.
    pub fn told(&self) -> &[Told] {
        &self.told
    }

    /// What keys mean now.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// Takes a key.
    pub fn press(&mut self, key: KeyEvent) -> Flow {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if matches!(key.code, KeyCode::Char('c' | 'C')) { Flow::Interrupt } else { Flow::Stay };
        }
        if key.modifiers.contains(KeyModifiers::ALT) {
            return Flow::Stay;
        }
        match std::mem::replace(&mut self.mode, Mode::Acting) {
            Mode::Acting => return self.act(key.code),
            Mode::Rewinding(typed) => self.type_target(typed, key.code),
            Mode::Help(line) => match key.code {
                KeyCode::Down | KeyCode::PageDown | KeyCode::Char(' ') => {
                    self.mode = Mode::Help((line + 1).min(LAST_HELP_LINE))
                }
                KeyCode::Up | KeyCode::PageUp => self.mode = Mode::Help(line.saturating_sub(1)),
                _ => {}
            },
        }
        Flow::Stay
    }

    fn act(&mut self, key: KeyCode) -> Flow {
        let settings = self.lab.settings();
        match key {
            KeyCode::Char('q') => return Flow::Quit,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.mode = Mode::Help(0),
            KeyCode::Char(' ') | KeyCode::Enter | KeyCode::Right => self.step(),
            KeyCode::Char('n') => self.whole_action(),
            KeyCode::Char('b') => self.batch(),
            KeyCode::Char('c') => self.take(Action::Crash),
            KeyCode::Char('r') => self.take(Action::Restart),
            KeyCode::Char('s') => self.take(Action::Stop),
            KeyCode::Char('w') => self.mode = Mode::Rewinding(String::new()),
            KeyCode::Char('t') => self.take(Action::Commit),
            KeyCode::Char('p') => self.take(Action::Produce(PRODUCED)),
            KeyCode::Char('x') => self.take(Action::Retention(1)),
            KeyCode::Char('a') => self.take(Action::CommitMode(match settings.commit {
                CommitMode::Auto => CommitMode::Manual,
                CommitMode::Manual => CommitMode::Auto,
            })),
            KeyCode::Char('u') => self.take(Action::SinkMode(match settings.sink {
                SinkMode::Append => SinkMode::Upsert,
                SinkMode::Upsert => SinkMode::Append,
            })),
            KeyCode::Char('+' | '=') => self.size(settings.batch.saturating_add(1)),
            KeyCode::Char('-') => self.size(settings.batch.saturating_sub(1)),
            KeyCode::Char('z') | KeyCode::Backspace | KeyCode::Left => self.undo(),
            KeyCode::Char('0') => {
                self.begin(None, Lab::new(settings), "began anew: twelve events, no commit, an empty sink".to_owned());
            }
            KeyCode::Char(digit @ '1'..='5') => {
                let place = digit as usize - '1' as usize;
                if let Some(scenario) = SCENARIOS.get(place) {
                    let text = format!("began lesson {digit}, {}: {}", scenario.name, scenario.title);
                    self.begin(Some(Lesson::new(scenario)), Lab::new(scenario.settings), text);
                }
            }
            _ => {}
        }
        Flow::Stay
    }

    fn type_target(&mut self, mut typed: String, key: KeyCode) {
        let target = match key {
            KeyCode::Esc => return,
            KeyCode::Char('e') if typed.is_empty() => "earliest".to_owned(),
            KeyCode::Char('l') if typed.is_empty() => "latest".to_owned(),
            KeyCode::Enter if !typed.is_empty() => typed,
            key => {
                match key {
                    KeyCode::Char(sign) if (sign.is_ascii_digit() || sign == ':') && typed.len() < LONGEST_INPUT => {
                        typed.push(sign);
                    }
                    KeyCode::Backspace => drop(typed.pop()),
                    _ => {}
                }
                self.mode = Mode::Rewinding(typed);
                return;
            }
        };
        match script::target(&target) {
            Some(target) => self.take(Action::Rewind(target)),
            None => {
                self.refuse(format!("`{target}` is no place in the log: an offset such as 4, or a time such as 10:03"))
            }
        }
    }

    /// The next single step: of the scenario while one is under way, else of the consumer.
    fn step(&mut self) {
        let Some(mut lesson) = self.lesson.clone().filter(|lesson| !lesson.is_over()) else {
            let lesson = self.lesson.clone();
            let mut lab = self.lab.clone();
            match walk::act(&mut lab, Action::Step(1)) {
                Ok(all) => self.happened(lab, lesson, told(&all)),
                Err(refused) => self.refused(refused),
            }
            return;
        };
        let mut lab = self.lab.clone();
        let taken = lesson.step(&lab).and_then(|step| step.map(|step| lab.take(step)).transpose());
        match taken {
            Ok(happened) => {
                lesson.settle(&lab);
                let text = happened.as_ref().map(words::sentence).unwrap_or_default();
                self.happened(lab, Some(lesson), text);
            }
            Err(refused) => self.refused(refused),
        }
    }

    /// The rest of the scenario's action.
    fn whole_action(&mut self) {
        let Some(mut lesson) = self.lesson.clone().filter(|lesson| !lesson.is_over()) else {
            let over = if self.lesson.is_some() { "the lesson is over" } else { "no lesson is under way" };
            return self.refuse(format!("{over}: `1` to `5` begin one"));
        };
        let mut lab = self.lab.clone();
        let (at, mut all) = (lesson.done, Vec::new());
        let action = lesson.actions[at];
        while lesson.done == at {
            match lesson.step(&lab).and_then(|step| step.map(|step| lab.take(step)).transpose()) {
                Ok(happened) => all.extend(happened),
                Err(refused) => return self.refused(refused),
            }
            lesson.settle(&lab);
        }
        self.happened(lab, Some(lesson), format!("{action}: {}", words::summary(&all)));
    }

    /// The rest of the batch, through its commit.
    fn batch(&mut self) {
        let mut lab = self.lab.clone();
        let mut all = Vec::new();
        loop {
            match lab.take(lab.next_step().unwrap_or(Step::Poll)) {
                Ok(happened) => all.push(happened),
                Err(refused) => return self.refused(refused),
            }
            if lab.is_idle() || matches!(all.last(), Some(Happened::NothingToCommit)) {
                break;
            }
        }
        self.happened(lab, None, told(&all));
    }

    fn size(&mut self, batch: u32) {
        if (1..=LARGEST_BATCH).contains(&batch) {
            self.take(Action::Batch(batch));
        } else {
            self.refuse(format!("a batch has 1 to {LARGEST_BATCH} events"));
        }
    }

    /// An action of the person's own: it leaves the scenario.
    fn take(&mut self, action: Action) {
        let mut lab = self.lab.clone();
        match walk::act(&mut lab, action) {
            Ok(all) => self.happened(lab, None, told(&all)),
            Err(refused) => self.refused(refused),
        }
    }

    fn happened(&mut self, lab: Lab, lesson: Option<Lesson>, mut text: String) {
        if self.lesson.as_ref().is_some_and(|lesson| !lesson.is_over()) && lesson.is_none() {
            text.push_str(" (you left the lesson: `z` goes back to it)");
        }
        self.before.push(Moment {
            lab: std::mem::replace(&mut self.lab, lab),
            lesson: std::mem::replace(&mut self.lesson, lesson),
            told: self.told.len(),
            number: self.number,
        });
        self.number += 1;
        self.told.push(Told { number: Some(self.number), text });
    }

    fn begin(&mut self, lesson: Option<Lesson>, lab: Lab, text: String) {
        // Not told as having left a scenario: another beginning says it by itself.
        let was = self.lesson.take();
        self.happened(lab, lesson, text);
        if let Some(moment) = self.before.last_mut() {
            moment.lesson = was;
        }
    }

    fn refused(&mut self, refused: Refused) {
        let (why, hint) = words::refusal(refused);
        self.refuse(hint.map_or_else(|| why.clone(), |hint| format!("{why}: {hint}")));
    }

    fn refuse(&mut self, text: String) {
        let told = Told { number: None, text };
        // A key that is held down says it once.
        if self.told.last() != Some(&told) {
            self.told.push(told);
        }
    }

    fn undo(&mut self) {
        match self.before.pop() {
            Some(moment) => {
                self.told.truncate(moment.told);
                (self.lab, self.lesson, self.number) = (moment.lab, moment.lesson, moment.number);
            }
            // What was refused at the very beginning goes too.
            None => self.told.clear(),
        }
    }
}

/// One step by its sentence, more in short.
fn told(happened: &[Happened]) -> String {
    match happened {
        [one] => words::sentence(one),
        all => words::summary(all),
    }
}
