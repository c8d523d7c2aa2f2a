//! A broker behind a proxy that knows where Kafka's requests begin and end: it lets a test hold, or lose, exactly one write.

use super::runner::DEADLINE;
use local_kafka::{Cluster, Kafka, Node};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};

/// `OffsetCommit`, which the admin call of that purpose sends too; `DeleteGroups`; `OffsetDelete`.
const WRITES: [i16; 3] = [8, 42, 47];

/// What happens to one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The broker does not get it until it is released.
    HoldRequest,
    /// The broker does it at once, and its answer waits until it is released.
    HoldAnswer,
    /// The broker does it, and the connection breaks in place of the answer.
    LoseAnswer,
    /// The connection breaks before the broker gets it.
    LoseRequest,
}

struct Rule {
    group: Vec<u8>,
    let_pass: usize,
    fault: Fault,
    arrived: Sender<()>,
    release: Arc<Mutex<Receiver<()>>>,
}

/// A write that a fault waits for.
pub struct Awaited {
    arrived: Receiver<()>,
    release: Sender<()>,
}

impl Awaited {
    /// Waits until the fault has happened.
    pub fn happened(&self) {
        self.arrived.recv_timeout(DEADLINE).expect("a write");
    }

    /// Lets what is held go on.
    pub fn release(&self) {
        self.release.send(()).unwrap();
    }
}

type Rules = Arc<Mutex<Vec<Rule>>>;

/// A broker whose clients are all sent through the proxy.
pub struct Proxied {
    kafka: Kafka,
    address: String,
    rules: Rules,
}

/// The one for all tests.
pub fn proxied() -> &'static Proxied {
    static PROXIED: OnceLock<Proxied> = OnceLock::new();
    PROXIED.get_or_init(Proxied::start)
}

impl Proxied {
    /// One for a test that does something to the broker itself.
    pub fn start() -> Proxied {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let kafka = Kafka::builder().proxied(address.port()).start().unwrap();
        let rules = Rules::default();
        serve(listener, std::iter::repeat(Some(kafka.listener("PROXIED"))), Arc::clone(&rules));
        Proxied { kafka, address: address.to_string(), rules }
    }

    /// The broker's process.
    pub fn node(&self) -> &Node {
        self.kafka.node(1)
    }

    /// The broker, without the proxy.
    pub fn cluster(&self) -> Cluster {
        self.kafka.client()
    }

    /// Where krewind starts from.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Lets this happen to the next write of a group, after so many that pass.
    pub fn fault(&self, group: &str, let_pass: usize, fault: Fault) -> Awaited {
        let (arrived, seen) = channel();
        let (release, released) = channel();
        let rule = Rule {
            group: group.as_bytes().to_vec(),
            let_pass,
            fault,
            arrived,
            release: Arc::new(Mutex::new(released)),
        };
        self.rules.lock().unwrap().push(rule);
        Awaited { arrived: seen, release }
    }

    /// Another address to start from, which lets in so many connections. Later ones are led to another broker, if one is given,
    /// or closed.
    pub fn door(&self, connections: usize, then: Option<&Cluster>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let brokers = std::iter::repeat_n(Some(self.kafka.listener("PROXIED")), connections);
        let then = then.map(|cluster| cluster.bootstrap().to_owned());
        serve(listener, brokers.chain(std::iter::repeat(then)), Arc::clone(&self.rules));
        address
    }
}

/// Serves each connection from the broker that is next.
fn serve(listener: TcpListener, brokers: impl Iterator<Item = Option<String>> + Send + 'static, rules: Rules) {
    std::thread::spawn(move || {
        for (client, broker) in listener.incoming().map_while(Result::ok).zip(brokers) {
            let Some(Ok(broker)) = broker.map(TcpStream::connect) else { continue };
            let rules = Arc::clone(&rules);
            std::thread::spawn(move || connection(&client, &broker, &rules));
        }
    });
}

fn connection(client: &TcpStream, broker: &TcpStream, rules: &Rules) {
    // The requests whose answers something happens to, by correlation id.
    let marked: Mutex<Vec<(i32, Rule)>> = Mutex::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            answers(broker, client, &marked);
            close(client, broker);
        });
        requests(client, broker, rules, &marked);
        close(client, broker);
    });
}

fn close(client: &TcpStream, broker: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = broker.shutdown(Shutdown::Both);
}

fn requests(
    mut client: &TcpStream,
    mut broker: &TcpStream,
    rules: &Rules,
    marked: &Mutex<Vec<(i32, Rule)>>,
) -> Option<()> {
    loop {
        let frame = frame(&mut client)?;
        if let Some(rule) = matching(&frame, rules) {
            match rule.fault {
                Fault::LoseRequest => {
                    let _ = rule.arrived.send(());
                    return None;
                }
                Fault::HoldRequest => {
                    let _ = rule.arrived.send(());
                    rule.release.lock().unwrap().recv().ok()?;
                }
                Fault::LoseAnswer | Fault::HoldAnswer => {
                    let correlation = i32::from_be_bytes(frame.get(8..12)?.try_into().ok()?);
                    marked.lock().unwrap().push((correlation, rule));
                }
            }
        }
        broker.write_all(&frame).ok()?;
    }
}

fn answers(mut broker: &TcpStream, mut client: &TcpStream, marked: &Mutex<Vec<(i32, Rule)>>) -> Option<()> {
    loop {
        let frame = frame(&mut broker)?;
        let correlation = i32::from_be_bytes(frame[4..8].try_into().ok()?);
        let rule = {
            let mut marked = marked.lock().unwrap();
            marked.iter().position(|(of, _)| *of == correlation).map(|index| marked.remove(index).1)
        };
        if let Some(rule) = rule {
            let _ = rule.arrived.send(());
            if rule.fault == Fault::LoseAnswer {
                return None;
            }
            rule.release.lock().unwrap().recv().ok()?;
        }
        client.write_all(&frame).ok()?;
    }
}

/// Takes the rule that this request meets: a write of its group.
fn matching(frame: &[u8], rules: &Rules) -> Option<Rule> {
    let key = i16::from_be_bytes(frame.get(4..6)?.try_into().ok()?);
    if !WRITES.contains(&key) {
        return None;
    }
    let mut rules = rules.lock().unwrap();
    let index =
        rules.iter().position(|rule| frame.windows(rule.group.len()).any(|part| part == rule.group.as_slice()))?;
    if rules[index].let_pass > 0 {
        rules[index].let_pass -= 1;
        return None;
    }
    Some(rules.remove(index))
}

/// A request or an answer with the four bytes of its length.
fn frame(stream: &mut &TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut frame = vec![0; 4 + usize::try_from(i32::from_be_bytes(length)).ok()?];
    frame[..4].copy_from_slice(&length);
    stream.read_exact(&mut frame[4..]).ok()?;
    (frame.len() >= 8).then_some(frame)
}
