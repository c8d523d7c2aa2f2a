//! What can go wrong, in one table: a stable code, one sentence, hints, and the exit code that follows.

use std::fmt;

/// A stable error code: it stands in `-o json` reports, and scripts read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// No broker could be reached.
    ConnectionFailed,
    /// A broker refused the login.
    AuthenticationFailed,
    /// The TLS handshake failed.
    TlsFailed,
    /// A broker was reached, yet did not answer in time.
    TimedOut,
    /// The group does not exist.
    GroupNotFound,
    /// A topic or partition does not exist.
    TopicNotFound,
    /// This principal may not do that.
    Unauthorized,
    /// A file could not be read or written.
    Io,
    /// The sink failed.
    SinkFailed,
    /// The reader of standard output left before the window's end.
    SinkClosed,
    /// A broker answered with an error that has no code of its own here, or krewind itself is wrong.
    Internal,
    /// The command line is wrong.
    Usage,
    /// A local time that does not exist or exists twice.
    AmbiguousTime,
    /// A file's content is wrong.
    BadFile,
    /// The group has members.
    GroupActive,
    /// Commits moved between two looks.
    CommitsMoving,
    /// The plan no longer holds.
    StalePlan,
    /// The person said no.
    Declined,
    /// Nobody can be asked.
    NoTerminal,
    /// The target lies outside the log.
    OutOfRange,
    /// No record at or after the time.
    NoRecordAtTime,
    /// There is no commit to start from.
    NoCommit,
    /// Unread records would be skipped.
    WouldSkip,
    /// Commits moved since the write that would be undone.
    MovedSince,
    /// A transaction holds a commit that is not decided.
    PendingTransaction,
    /// A share, streams or Connect group, which krewind does not write.
    UnmanagedGroup,
    /// A protected group.
    Protected,
    /// Writes are off.
    ReadOnly,
    /// The file or table exists.
    TargetExists,
    /// The records would go back into the topic that they come from.
    OwnSource,
    /// Ctrl-C.
    Interrupted,
}

impl Code {
    /// The code's text in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::ConnectionFailed => "connection-failed",
            Code::AuthenticationFailed => "authentication-failed",
            Code::TlsFailed => "tls-failed",
            Code::TimedOut => "timed-out",
            Code::GroupNotFound => "group-not-found",
            Code::TopicNotFound => "topic-not-found",
            Code::Unauthorized => "unauthorized",
            Code::Io => "io",
            Code::SinkFailed => "sink-failed",
            Code::SinkClosed => "sink-closed",
            Code::Internal => "internal",
            Code::Usage => "usage",
            Code::AmbiguousTime => "ambiguous-time",
            Code::BadFile => "bad-file",
            Code::GroupActive => "group-active",
            Code::CommitsMoving => "commits-moving",
            Code::StalePlan => "stale-plan",
            Code::Declined => "declined",
            Code::NoTerminal => "no-terminal",
            Code::OutOfRange => "out-of-range",
            Code::NoRecordAtTime => "no-record-at-time",
            Code::NoCommit => "no-commit",
            Code::WouldSkip => "would-skip",
            Code::MovedSince => "moved-since",
            Code::PendingTransaction => "pending-transaction",
            Code::UnmanagedGroup => "unmanaged-group",
            Code::Protected => "protected",
            Code::ReadOnly => "read-only",
            Code::TargetExists => "target-exists",
            Code::OwnSource => "own-source",
            Code::Interrupted => "interrupted",
        }
    }

    const ALL: [Code; 31] = [
        Code::ConnectionFailed,
        Code::AuthenticationFailed,
        Code::TlsFailed,
        Code::TimedOut,
        Code::GroupNotFound,
        Code::TopicNotFound,
        Code::Unauthorized,
        Code::Io,
        Code::SinkFailed,
        Code::SinkClosed,
        Code::Internal,
        Code::Usage,
        Code::AmbiguousTime,
        Code::BadFile,
        Code::GroupActive,
        Code::CommitsMoving,
        Code::StalePlan,
        Code::Declined,
        Code::NoTerminal,
        Code::OutOfRange,
        Code::NoRecordAtTime,
        Code::NoCommit,
        Code::WouldSkip,
        Code::MovedSince,
        Code::PendingTransaction,
        Code::UnmanagedGroup,
        Code::Protected,
        Code::ReadOnly,
        Code::TargetExists,
        Code::OwnSource,
        Code::Interrupted,
    ];

    /// The code with this text.
    pub fn named(text: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// The exit code of a run that ended with this error.
    pub fn exit(self) -> Exit {
        match self {
            Code::ConnectionFailed
            | Code::AuthenticationFailed
            | Code::TlsFailed
            | Code::TimedOut
            | Code::GroupNotFound
            | Code::TopicNotFound
            | Code::Unauthorized
            | Code::Io
            | Code::SinkFailed
            | Code::SinkClosed
            | Code::Internal => Exit::Failed,
            Code::Usage | Code::AmbiguousTime | Code::BadFile => Exit::Usage,
            Code::GroupActive
            | Code::CommitsMoving
            | Code::StalePlan
            | Code::Declined
            | Code::NoTerminal
            | Code::OutOfRange
            | Code::NoRecordAtTime
            | Code::NoCommit
            | Code::WouldSkip
            | Code::MovedSince
            | Code::PendingTransaction
            | Code::UnmanagedGroup
            | Code::Protected
            | Code::ReadOnly
            | Code::TargetExists
            | Code::OwnSource => Exit::Refused,
            Code::Interrupted => Exit::Interrupted,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, nothing to do, or a dry run.
    Done,
    /// 1: failed, or any row failed.
    Failed,
    /// 2: the command line is wrong.
    Usage,
    /// 3: refused; nothing was written by this run.
    Refused,
    /// 4: the condition asked about holds.
    ConditionHolds,
    /// 130: Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::ConditionHolds => 4,
            Exit::Interrupted => 130,
        }
    }

    /// Of two outcomes of one run, the one that the exit code tells: 130 before 1 before 3 before 4.
    pub fn worse(self, other: Exit) -> Exit {
        fn rank(exit: Exit) -> u8 {
            match exit {
                Exit::Interrupted => 5,
                Exit::Failed => 4,
                Exit::Usage => 3,
                Exit::Refused => 2,
                Exit::ConditionHolds => 1,
                Exit::Done => 0,
            }
        }
        if rank(other) > rank(self) { other } else { self }
    }
}

/// One error: what a script reads (`code`), what a person reads (`message`), and what to do about it (`hints`).
#[derive(Debug)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// One sentence, lower case, things in backticks.
    pub message: String,
    /// What would help, each naming the exact flag.
    pub hints: Vec<String>,
    /// Overrides the code's exit where a write turns a failure into a refusal.
    pub exit: Exit,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// A result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with this code and sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), hints: Vec::new(), exit: code.exit(), source: None }
    }

    /// A usage error.
    pub fn usage(message: impl Into<String>) -> Self {
        Error::new(Code::Usage, message)
    }

    /// The error with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The error with the error that caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The same error on a write: nothing was written, so "not found" is a refusal (exit 3).
    #[must_use]
    pub fn on_write(mut self) -> Self {
        if matches!(self.code, Code::GroupNotFound | Code::TopicNotFound) {
            self.exit = Exit::Refused;
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
