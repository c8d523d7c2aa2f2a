//! The handle: a consumer without a group, whose queue tells why a connection fails.

use super::config::ClientProperties;
use super::error::{BrokerFault, codes};
use super::ffi::{Fault, Native, groups as ffi_groups, requests::Wait};
use crate::error::{Code, Error, Result};
use rdkafka::ClientConfig;
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use std::error::Error as StdError;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Where librdkafka's own log lines go, where someone wants them.
pub type LogSink = Arc<dyn Fn(&str) + Send + Sync>;

/// How to reach a cluster.
#[derive(Clone)]
pub struct Connection {
    /// librdkafka's properties.
    pub properties: ClientProperties,
    /// The longest that one request may take.
    pub timeout: Duration,
    /// Librdkafka's log lines (`-v`).
    pub log: Option<LogSink>,
}

/// With every broker failing, how long a start waits for one to come up before it gives the reason.
const START_GRACE: Duration = Duration::from_millis(1500);

/// How long the answer to what this login may do is waited for.
const RESTRICTED_PATIENCE: Duration = Duration::from_secs(2);

/// Requests in flight at once on one connection.
const WINDOW: usize = 256;

/// From how many requests on more than one connection is used.
const MANY: usize = 100;

/// Connections beyond the first.
const OTHERS: usize = 2;

/// What the error events of a client told so far.
#[derive(Default)]
struct Events {
    started: Option<Instant>,
    connected: bool,
    authentication: Option<String>,
    tls: Option<String>,
    resolve: Option<String>,
    transport: Option<String>,
    /// A broker took the connection and never answered.
    silent: bool,
    all_down: bool,
}

/// Receives a client's events.
pub struct Context {
    events: Mutex<Events>,
    log: Option<LogSink>,
}

impl Context {
    pub(super) fn new(log: Option<LogSink>) -> Self {
        Context { events: Mutex::new(Events { started: Some(Instant::now()), ..Events::default() }), log }
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A broker answered: from here on a lost connection is librdkafka's to mend.
    pub fn connected(&self) {
        self.events().connected = true;
    }

    /// A reason to stop waiting for an answer: no broker has answered yet, and none will.
    pub fn give_up(&self) -> Option<Fault> {
        let events = self.events();
        if events.connected {
            return None;
        }
        let waited = events.started.is_some_and(|started| started.elapsed() >= START_GRACE);
        // A password or certificate does not get better by waiting; another broker of the list may still take it.
        let hopeless = events.authentication.is_some() || events.tls.is_some();
        (events.all_down && (waited || hopeless) || hopeless && waited).then(|| events.reason())
    }

    /// Why requests of this client fail, where an event told.
    pub fn reason(&self) -> Option<Fault> {
        let events = self.events();
        let told = events.authentication.is_some()
            || events.tls.is_some()
            || events.resolve.is_some()
            || events.transport.is_some()
            || events.all_down;
        told.then(|| events.reason())
    }
}

impl Events {
    fn reason(&self) -> Fault {
        let told = [
            (codes::AUTHENTICATION, &self.authentication),
            (codes::SSL, &self.tls),
            (codes::RESOLVE, &self.resolve),
            (codes::TRANSPORT, &self.transport),
        ];
        for (code, reason) in told {
            if let Some(reason) = reason {
                return Fault { message: reason.clone(), ..Fault::of(code) };
            }
        }
        Fault::of(if self.silent { codes::TIMED_OUT } else { codes::ALL_BROKERS_DOWN })
    }
}

impl ClientContext for Context {
    fn log(&self, _level: RDKafkaLogLevel, facility: &str, message: &str) {
        // A broker that does not answer is no error event to librdkafka, only a warning in its log.
        if facility == "FAIL" && message.contains("Timed out") {
            self.events().silent = true;
        }
        if let Some(log) = &self.log {
            log(&format!("librdkafka: {facility}: {message}"));
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let Some(code) = error.rdkafka_error_code() else { return };
        let mut events = self.events();
        let slot = match code {
            RDKafkaErrorCode::Authentication => &mut events.authentication,
            RDKafkaErrorCode::SSL => &mut events.tls,
            RDKafkaErrorCode::Resolve => &mut events.resolve,
            RDKafkaErrorCode::BrokerTransportFailure => {
                // librdkafka reports a certificate that the broker refuses as a transport failure with an alert in its text.
                if reason.contains("SSL handshake failed") || reason.contains("SSL alert") {
                    &mut events.tls
                } else {
                    &mut events.transport
                }
            }
            RDKafkaErrorCode::AllBrokersDown => {
                events.all_down = true;
                return;
            }
            _ => return,
        };
        if slot.is_none() {
            *slot = Some(tidy_reason(reason));
        }
    }

    fn generate_oauth_token(&self, _config: Option<&str>) -> std::result::Result<OAuthToken, Box<dyn StdError>> {
        Err("krewind can't fetch OAUTHBEARER tokens".into())
    }
}

impl ConsumerContext for Context {}

/// `sasl_plaintext://127.0.0.1:9/bootstrap: Connect to … failed: Connection refused (after 0ms in state CONNECT)` without the
/// trailing state.
fn tidy_reason(reason: &str) -> String {
    let reason = reason.split(" (after ").next().unwrap_or(reason);
    reason.trim().trim_end_matches('.').to_owned()
}

pub(super) struct Handle {
    consumer: BaseConsumer<Context>,
}

/// A cluster reached through librdkafka.
pub struct Client {
    connection: Connection,
    // Before the handle: what belongs to it ends first.
    question: Mutex<Option<ffi_groups::ClusterQuestion>>,
    restricted: OnceLock<Option<bool>>,
    handle: RwLock<Arc<Handle>>,
    others: Mutex<Vec<Arc<Handle>>>,
    cluster_id: OnceLock<String>,
}

impl Client {
    /// Makes a client and waits until a broker told the cluster's id, or until it is clear that none will.
    pub fn connect(connection: Connection) -> Result<Self> {
        let handle = Handle::start(&connection)?;
        let client = Client {
            connection,
            question: Mutex::default(),
            restricted: OnceLock::new(),
            handle: RwLock::new(handle),
            others: Mutex::default(),
            cluster_id: OnceLock::new(),
        };
        let id = client.wait_for_cluster_id()?;
        let _ = client.cluster_id.set(id);
        Ok(client)
    }

    /// How it was reached.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The cluster's id.
    pub fn id(&self) -> &str {
        self.cluster_id.get().map_or("", String::as_str)
    }

    fn wait_for_cluster_id(&self) -> Result<String> {
        let started = Instant::now();
        let deadline = started + self.connection.timeout;
        let handle = self.current();
        loop {
            if let Some(id) = ffi_groups::cluster_id(handle.native(), Duration::from_millis(20)) {
                handle.consumer.context().connected();
                let question = ffi_groups::ask_for_cluster(handle.native(), self.connection.timeout);
                *self.question.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
                return Ok(id);
            }
            let context = handle.consumer.context();
            if let Some(fault) = context.give_up() {
                return Err(self.connection_error(fault, started.elapsed()));
            }
            if Instant::now() >= deadline {
                let fault = context.reason().unwrap_or_else(|| Fault::of(codes::TIMED_OUT));
                return Err(self.connection_error(fault, started.elapsed()));
            }
        }
    }

    fn connection_error(&self, fault: Fault, waited: Duration) -> Error {
        let servers = self.connection.properties.bootstrap_servers();
        let fault = BrokerFault::from(fault);
        let (code, message) = match fault.code {
            codes::AUTHENTICATION => {
                (Code::AuthenticationFailed, format!("`{servers}` refused the login: {}", fault.message))
            }
            codes::SSL => (Code::TlsFailed, format!("no TLS connection to `{servers}`: {}", fault.message)),
            codes::TIMED_OUT => {
                let waited = waited.min(self.connection.timeout);
                (Code::ConnectionFailed, format!("`{servers}` did not answer within {waited:.0?}"))
            }
            codes::ALL_BROKERS_DOWN => {
                (Code::ConnectionFailed, format!("no broker of `{servers}` could be reached, and none gave a reason"))
            }
            _ => (Code::ConnectionFailed, format!("can't reach `{servers}`: {}", fault.message)),
        };
        let error = Error::new(code, message);
        let protocol = self.connection.properties.get("security.protocol").unwrap_or("plaintext").to_ascii_lowercase();
        match code {
            Code::AuthenticationFailed => {
                error.hint("check `sasl.mechanism`, `sasl.username` and `sasl.password` in the file that `-F` names")
            }
            Code::TlsFailed if error.message.contains("verify failed") => error.hint(
                "the broker's certificate is not signed by a CA that is trusted here: name it with `-X ssl.ca.location=ca.pem`",
            ),
            Code::TlsFailed if error.message.contains("PLAINTEXT") => {
                error.hint("the port may be a listener without TLS: try `-X security.protocol=PLAINTEXT` (or SASL_PLAINTEXT)")
            }
            Code::TlsFailed if error.message.contains("alert") => error.hint(
                "the broker may ask for a client certificate: `-X ssl.certificate.location=client.pem -X ssl.key.location=client.key`",
            ),
            _ if fault.code == codes::ALL_BROKERS_DOWN || error.message.contains("Disconnected") => {
                if protocol.starts_with("plaintext") {
                    error.hint("a broker that closes the connection without a word often wants TLS or a login: name them in a file for `-F`, or `-X security.protocol=SSL` (SASL_SSL, SASL_PLAINTEXT)")
                } else {
                    error.hint(format!("the listener may not speak `{protocol}`: check `security.protocol` and the port"))
                }
            }
            _ if fault.code == codes::RESOLVE => error.hint("check the host's name in `-b`"),
            _ => error.hint("check that a broker listens there (`-b HOST:PORT`)"),
        }
    }

    pub(super) fn current(&self) -> Arc<Handle> {
        self.handle.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A new handle: librdkafka never forgets a coordinator that answered NOT_COORDINATOR.
    pub(super) fn renew(&self) {
        if let Ok(handle) = Handle::start(&self.connection) {
            handle.consumer.context().connected();
            self.question.lock().unwrap_or_else(PoisonError::into_inner).take();
            *self.handle.write().unwrap_or_else(PoisonError::into_inner) = handle;
            self.others.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Runs admin requests on the current handle. Faults that only say "timed out" get the reason that an event told.
    pub(super) fn ask<T>(&self, timeout: Duration, window: usize, run: impl FnOnce(Native<'_>, &Wait<'_>) -> T) -> T {
        let handle = self.current();
        let context = handle.consumer.context().clone();
        let give_up = move || context.give_up();
        run(handle.native(), &Wait { timeout, window, give_up: &give_up })
    }

    /// Runs many requests like [`Client::ask`], one a question: beyond a hundred over several connections, since a broker takes
    /// up one request of a connection at a time. The answers stand in the order of the questions.
    pub(super) fn ask_each<Q: Sync, A: Send>(
        &self,
        questions: &[Q],
        run: impl Fn(Native<'_>, &Wait<'_>, &[Q]) -> Vec<A> + Sync,
    ) -> Vec<A> {
        let (timeout, window) = (self.connection.timeout, WINDOW);
        let others = if questions.len() > MANY { self.others() } else { Vec::new() };
        let share = questions.len().div_ceil(others.len() + 1).max(1);
        let mut shares = questions.chunks(share);
        let own = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let run = &run;
            let running: Vec<_> = shares
                .zip(&others)
                .map(|(share, handle)| {
                    scope.spawn(move || {
                        let context = handle.consumer.context();
                        let give_up = || context.give_up();
                        run(handle.native(), &Wait { timeout, window, give_up: &give_up }, share)
                    })
                })
                .collect();
            let mut answers = self.ask(timeout, window, |native, wait| run(native, wait, own));
            for thread in running {
                match thread.join() {
                    Ok(more) => answers.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            answers
        })
    }

    /// Whether an authorizer limits this login; what it may not describe, brokers leave out of their answers without a word.
    /// `None` where that is not known.
    pub(super) fn asked_restricted(&self) -> Option<bool> {
        *self.restricted.get_or_init(|| {
            let question = self.question.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            // It was sent before everything else: where its answer is not there by now, it is not waited for long.
            Some(!question.may_do_everything(RESTRICTED_PATIENCE.min(self.connection.timeout))?)
        })
    }

    /// Further connections, made when they are first needed; none where one can't be made.
    fn others(&self) -> Vec<Arc<Handle>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        while others.len() < OTHERS {
            let Ok(handle) = Handle::start(&self.connection) else { return Vec::new() };
            // As with the first one: a connection that is lost is librdkafka's to mend.
            handle.consumer.context().connected();
            others.push(handle);
        }
        others.clone()
    }

    /// The fault, with the reason behind a bare time-out.
    pub(super) fn explain(&self, fault: Fault) -> BrokerFault {
        let bare = matches!(fault.code, codes::TIMED_OUT | codes::TRANSPORT);
        let mut fault = BrokerFault::from(fault);
        if bare && let Some(reason) = self.current().consumer.context().reason() {
            fault.message = format!("{} ({})", fault.message.trim_end_matches('.'), reason.message);
        }
        fault
    }
}

impl Handle {
    fn start(connection: &Connection) -> Result<Arc<Self>> {
        let mut config = client_config(connection);
        config.set("allow.auto.create.topics", "false");
        let consumer: BaseConsumer<Context> =
            config.create_with_context(Context::new(connection.log.clone())).map_err(creation_error)?;
        let handle = Arc::new(Handle { consumer });
        // Serves error, log and token events; ends with the last user of the handle.
        let events = Arc::downgrade(&handle);
        std::thread::Builder::new()
            .name("kafka-events".to_owned())
            .spawn(move || {
                while let Some(handle) = events.upgrade() {
                    let _ = handle.consumer.poll(Duration::from_millis(50));
                }
            })
            .map_err(|error| Error::new(Code::Internal, "no thread could be started").caused_by(error))?;
        Ok(handle)
    }

    pub(super) fn native(&self) -> Native<'_> {
        Native::of(self.consumer.client())
    }
}

/// Librdkafka's configuration for this connection: what the user gave, and what every client of krewind wants.
pub(super) fn client_config(connection: &Connection) -> ClientConfig {
    let mut config = ClientConfig::new();
    // Quick reconnects: the default makes a second connection wait 50 ms after the bootstrap one.
    config.set("reconnect.backoff.ms", "20");
    config.set("reconnect.backoff.max.ms", "1000");
    config.set("socket.connection.setup.timeout.ms", "10000");
    config.set("socket.timeout.ms", connection.timeout.as_millis().clamp(1000, 300_000).to_string());
    config.set("enable.metrics.push", "false");
    config.set("log.connection.close", "false");
    config.set("client.id", "krewind");
    for (key, value) in connection.properties.iter() {
        config.set(key, value);
    }
    // Warnings are read also where nobody wants to see them: some reasons stand there alone.
    config.set_log_level(if connection.log.is_some() { RDKafkaLogLevel::Info } else { RDKafkaLogLevel::Warning });
    config
}

/// Librdkafka refused a property.
pub(super) fn creation_error(error: KafkaError) -> Error {
    match error {
        KafkaError::ClientConfig(_, why, key, _) => {
            Error::usage(format!("`{key}`: {}", why.trim())).hint("properties come from `-F FILE` and `-X key=value`")
        }
        KafkaError::ClientCreation(why) => {
            let why = why.trim().to_owned();
            let code = if why.contains("ssl") || why.contains("SSL") { Code::TlsFailed } else { Code::Usage };
            Error::new(code, format!("the client could not be made: {why}"))
        }
        other => Error::new(Code::Internal, format!("the client could not be made: {other}")),
    }
}
