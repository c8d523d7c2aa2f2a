use super::*;
use proptest::prelude::*;

fn from_file(text: &str) -> ClientProperties {
    match ClientProperties::build(None, Some(("client.properties", text)), &[]) {
        Ok(properties) => properties,
        Err(error) => panic!("{error} {:?}", error.hints),
    }
}

fn file_error(text: &str, overrides: &[&str]) -> Error {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    ClientProperties::build(Some("a:9092"), Some(("client.properties", text)), &overrides).unwrap_err()
}

fn flags(overrides: &[&str]) -> Result<ClientProperties, Error> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    ClientProperties::build(Some("a:9092"), None, &overrides)
}

fn pairs(properties: &ClientProperties) -> Vec<(&str, &str)> {
    properties.iter().collect()
}

fn ignored(properties: &ClientProperties) -> Vec<&str> {
    properties.ignored().iter().map(|(key, _)| key.as_str()).collect()
}

#[test]
fn confluent_cloud() {
    let properties = from_file(
        "# Required connection configs for Kafka producer, consumer, and admin\n\
         bootstrap.servers=pkc-l7pr2.ap-south-1.aws.confluent.cloud:9092\n\
         security.protocol=SASL_SSL\n\
         sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username='KEY' password='SE/CR+ET==';\n\
         sasl.mechanism=PLAIN\n\
         # Required for correctness in Apache Kafka clients prior to 2.6\n\
         client.dns.lookup=use_all_dns_ips\n\
         session.timeout.ms=45000\n\
         acks=all\n\
         client.id=ccloud-java-client\n\
         schema.registry.url=https://psrc-xxxx.ap-south-1.aws.confluent.cloud\n\
         basic.auth.credentials.source=USER_INFO\n\
         basic.auth.user.info=K:S\n",
    );
    assert_eq!(
        pairs(&properties),
        [
            ("bootstrap.servers", "pkc-l7pr2.ap-south-1.aws.confluent.cloud:9092"),
            ("security.protocol", "sasl_ssl"),
            ("sasl.mechanism", "PLAIN"),
            ("client.dns.lookup", "use_all_dns_ips"),
            ("client.id", "ccloud-java-client"),
            ("ssl.ca.location", "probe"),
            ("sasl.username", "KEY"),
            ("sasl.password", "SE/CR+ET=="),
        ]
    );
    assert_eq!(
        ignored(&properties),
        ["session.timeout.ms", "acks", "schema.registry.url", "basic.auth.credentials.source", "basic.auth.user.info"]
    );
}

#[test]
fn msk_scram_with_a_continued_line() {
    let properties = from_file(
        "bootstrap.servers=b-1.msk:9096,\\\n    b-2.msk:9096\r\n\
         security.protocol = SASL_SSL\n\
         sasl.mechanism = SCRAM-SHA-512\n\
         sasl.jaas.config = org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  \
           username=\"alice\" \\\n  \
           password=\"b\\\\\"c\";\n",
    );
    assert_eq!(properties.bootstrap_servers(), "b-1.msk:9096,b-2.msk:9096");
    assert_eq!(properties.get("sasl.mechanism"), Some("SCRAM-SHA-512"));
    assert_eq!(properties.get("sasl.username"), Some("alice"));
    assert_eq!(properties.get("sasl.password"), Some("b\"c"));
    assert_eq!(properties.get("sasl.jaas.config"), None);
}

#[test]
fn strimzi_client_certificate_in_pem_files() {
    let properties = from_file(
        "bootstrap.servers=my-cluster-kafka-bootstrap:9093\n\
         security.protocol=SSL\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location=/opt/ca.crt\n\
         ssl.keystore.type=PEM\n\
         ssl.keystore.location=/opt/user.pem\n\
         ssl.key.password=changeit\n\
         ssl.endpoint.identification.algorithm=\n",
    );
    assert_eq!(
        pairs(&properties),
        [
            ("bootstrap.servers", "my-cluster-kafka-bootstrap:9093"),
            ("security.protocol", "ssl"),
            ("ssl.key.password", "changeit"),
            ("ssl.endpoint.identification.algorithm", "none"),
            ("ssl.ca.location", "/opt/ca.crt"),
            ("ssl.certificate.location", "/opt/user.pem"),
            ("ssl.key.location", "/opt/user.pem"),
        ]
    );
    assert_eq!(properties.ignored(), []);
}

#[test]
fn pem_within_the_file_gets_its_lines_back() {
    let base64 = "A".repeat(70);
    let properties = from_file(&format!(
        "bootstrap.servers=a:9093\nsecurity.protocol=SSL\nssl.truststore.type=PEM\n\
         ssl.truststore.certificates=-----BEGIN CERTIFICATE----- \\\n  {base64} \\\n  -----END CERTIFICATE-----\n\
         ssl.keystore.type=PEM\n\
         ssl.keystore.certificate.chain=-----BEGIN CERTIFICATE-----\\n{base64}\\n-----END CERTIFICATE----- -----BEGIN CERTIFICATE-----BB==-----END CERTIFICATE-----\n\
         ssl.keystore.key=-----BEGIN ENCRYPTED PRIVATE KEY----- KEYTEXT -----END ENCRYPTED PRIVATE KEY-----\n"
    ));
    let certificate =
        format!("-----BEGIN CERTIFICATE-----\n{}\n{}\n-----END CERTIFICATE-----\n", "A".repeat(64), "A".repeat(6));
    assert_eq!(properties.get("ssl.ca.pem"), Some(certificate.as_str()));
    assert_eq!(
        properties.get("ssl.certificate.pem"),
        Some(format!("{certificate}-----BEGIN CERTIFICATE-----\nBB==\n-----END CERTIFICATE-----\n").as_str())
    );
    assert_eq!(
        properties.get("ssl.key.pem"),
        Some("-----BEGIN ENCRYPTED PRIVATE KEY-----\nKEYTEXT\n-----END ENCRYPTED PRIVATE KEY-----\n")
    );
    assert_eq!(properties.get("ssl.ca.location"), None, "no probing beside certificates that were given");
    assert!(!format!("{properties:?}").contains("KEYTEXT"));
    let error = file_error("security.protocol=SSL\nssl.truststore.certificates=hunter2\n", &[]);
    assert_eq!(error.message, "`ssl.truststore.certificates` in `client.properties` holds no PEM text");
    let error = file_error("security.protocol=SSL\nssl.keystore.key=hunter2\n", &[]);
    assert!(error.message.contains("one is missing"), "{error}");
}

const AIVEN: &str = "security.protocol=SSL\n\
    ssl.protocol=TLS\n\
    ssl.endpoint.identification.algorithm=HTTPS\n\
    ssl.truststore.location=certs dir/client.truststore.jks\n\
    ssl.truststore.password=hunter2\n\
    ssl.keystore.type=PKCS12\n\
    ssl.keystore.location=client.keystore.p12\n\
    ssl.keystore.password=hunter2\n\
    ssl.key.password=hunter2\n";

#[test]
fn aiven_truststore_is_refused_with_the_way_out() {
    let error = file_error(AIVEN, &[]);
    assert_eq!((error.code, error.exit.code()), (Code::BadFile, 2));
    assert_eq!(
        error.message,
        "`certs dir/client.truststore.jks` is a Java keystore, which librdkafka cannot read (named in `client.properties`)"
    );
    assert_eq!(
        error.hints,
        [
            "convert it: `keytool -importkeystore -srckeystore 'certs dir/client.truststore.jks' -destkeystore 'certs dir/client.truststore.p12' -deststoretype PKCS12`",
            "take the certificates out: `openssl pkcs12 -in 'certs dir/client.truststore.p12' -nokeys -out 'certs dir/client.truststore.pem'`",
            "then `-X ssl.ca.location='certs dir/client.truststore.pem'`, or in the file `ssl.ca.location=certs dir/client.truststore.pem`",
        ]
    );
    // What the hint says works, with the file as it is.
    let properties = ClientProperties::build(
        Some("a:9092"),
        Some(("client.properties", AIVEN)),
        &["ssl.ca.location=ca.pem".to_owned()],
    )
    .unwrap();
    assert_eq!(properties.get("ssl.ca.location"), Some("ca.pem"));
    assert_eq!(properties.get("ssl.keystore.location"), Some("client.keystore.p12"));
    assert_eq!(properties.get("ssl.keystore.password"), Some("hunter2"));
    assert_eq!(properties.get("ssl.endpoint.identification.algorithm"), Some("https"));
    assert_eq!(ignored(&properties), ["ssl.protocol", "ssl.truststore.location", "ssl.truststore.password"]);
}

#[test]
fn keystores_by_type_and_name() {
    let both =
        "security.protocol=SSL\nssl.truststore.location=/t.p12\nssl.truststore.type=PKCS12\nssl.keystore.location=/k\n";
    let error = file_error(both, &[]);
    assert_eq!(
        error.message,
        "`/t.p12` is a PKCS #12 truststore and `/k` is a Java keystore, neither of which librdkafka reads (named in `client.properties`)"
    );
    assert_eq!(error.hints[0], "take the certificates out: `openssl pkcs12 -in /t.p12 -nokeys -out /t.pem`");
    assert!(error.hints.last().unwrap().starts_with("then `-X ssl.keystore.location=/k.p12`"));
    let overridden = ["ssl.ca.location=/t.pem".to_owned(), "ssl.keystore.location=/k.p12".to_owned()];
    let properties = ClientProperties::build(Some("a"), Some(("f", both)), &overridden).unwrap();
    assert_eq!(properties.get("ssl.keystore.location"), Some("/k.p12"));
    // librdkafka's dialect: PKCS #12 without a type.
    let native =
        from_file("metadata.broker.list=a\nsecurity.protocol=ssl\nssl.keystore.location=/k\nssl.ca.location=/ca\n");
    assert_eq!(native.get("ssl.keystore.location"), Some("/k"));
    // A file for a plain listener may name stores that are never read.
    let plain = from_file("bootstrap.servers=a\nssl.truststore.location=t.jks\nssl.truststore.password=p\n");
    assert_eq!(pairs(&plain), [("bootstrap.servers", "a:9092")]);
    assert_eq!(ignored(&plain), ["ssl.truststore.location", "ssl.truststore.password"]);
    let error = file_error("security.protocol=SSL\nssl.truststore.type=BCFKS\nssl.truststore.location=/t\n", &[]);
    assert_eq!(error.message, "`ssl.truststore.type` in `client.properties` is none of `PEM`, `PKCS12` and `JKS`");
}

#[test]
fn logins_that_cannot_be_translated() {
    let jaas = |module: &str, mechanism: &str| {
        file_error(
            &format!(
                "security.protocol=SASL_SSL\n{mechanism}\nsasl.jaas.config={module} required username=u password=hunter2;"
            ),
            &[],
        )
    };
    for (module, mechanism, part) in [
        ("com.sun.security.auth.module.Krb5LoginModule", "sasl.mechanism=GSSAPI", "Kerberos"),
        ("software.amazon.msk.auth.iam.IAMLoginModule", "sasl.mechanism=AWS_MSK_IAM", "AWS IAM"),
        ("a.oauthbearer.OAuthBearerLoginModule", "sasl.mechanism=OAUTHBEARER", "OAuth tokens"),
        ("a.ScramLoginModule", "", "no `sasl.mechanism` says which SCRAM"),
        ("a.ScramLoginModule", "sasl.mechanism=PLAIN", "does not go with"),
        ("a.PlainLoginModule", "sasl.mechanism=SCRAM-SHA-256", "does not go with"),
        ("a.LdapLoginModule", "sasl.mechanism=PLAIN", "a login module other than"),
    ] {
        let error = jaas(module, mechanism);
        assert_eq!(error.code, Code::BadFile, "{module}");
        assert!(error.message.contains(part), "{error}");
        assert!(!error.hints.is_empty(), "{module}");
        assert!(!format!("{error:?}").contains("hunter2"));
    }
    let text =
        "security.protocol=SASL_SSL\nsasl.jaas.config=a.PlainLoginModule required username=u password=\"hunter2;\n";
    let error = file_error(text, &[]);
    assert_eq!(error.message, "`sasl.jaas.config` in `client.properties` has a quote that is not closed");
    assert!(!format!("{error:?}").contains("hunter2"));
    let error = file_error("security.protocol=SASL_PLAINTEXT\nsasl.username=u\nsasl.password=p\n", &[]);
    assert!(error.message.ends_with("asks for a login, and no `sasl.mechanism` says how"), "{error}");
    // Shaded classes, and the mechanism that the module implies.
    let shaded = from_file(
        "bootstrap.servers=a\nsecurity.protocol=SASL_PLAINTEXT\n\
         sasl.jaas.config=kafkashaded.org.apache.kafka.common.security.plain.PlainLoginModule required username=u password=p;",
    );
    assert_eq!(shaded.get("sasl.mechanism"), Some("PLAIN"));
}

#[test]
fn flags_win_over_the_file_and_bootstrap_over_both() {
    let file = "bootstrap.servers=file\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanisms=PLAIN\nsasl.username=f\nclient.id=f\n\
        sasl.jaas.config=a.PlainLoginModule required username=\"j\" password=\"j\";";
    let build = |bootstrap, overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        ClientProperties::build(bootstrap, Some(("f", file)), &overrides).unwrap()
    };
    assert_eq!(build(None, &[]).bootstrap_servers(), "file:9092");
    assert_eq!(build(None, &["metadata.broker.list=flag:1"]).bootstrap_servers(), "flag:1");
    let all = build(Some("b:2"), &["bootstrap.servers=flag:1", "client.id=x", "client.id=y", "sasl.mechanism=plain"]);
    assert_eq!(all.bootstrap_servers(), "b:2");
    assert_eq!(all.get("client.id"), Some("y"));
    assert_eq!(all.get("sasl.mechanism"), Some("PLAIN"));
    assert_eq!(all.iter().filter(|(key, _)| key.starts_with("sasl.mechanism")).count(), 1);
    let login = build(None, &["sasl.username=x", "sasl.password=a=b"]);
    assert_eq!((login.get("sasl.username"), login.get("sasl.password")), (Some("x"), Some("a=b")));
    // A flag in Java's dialect wins over the file too.
    let jaas = build(None, &["sasl.jaas.config=a.PlainLoginModule required username=z password=z;"]);
    assert_eq!((jaas.get("sasl.username"), jaas.get("sasl.password")), (Some("z"), Some("z")));
}

#[test]
fn krewinds_own_properties() {
    for key in known::OWNED {
        let error = flags(&[&format!("{key}=x")]).unwrap_err();
        assert_eq!(error.code, Code::Usage);
        assert_eq!(error.message, format!("krewind sets `{key}` itself, so `-X` may not"));
        let properties = from_file(&format!("bootstrap.servers=a\n{key}=x\n"));
        assert_eq!(properties.ignored(), [((*key).to_owned(), "krewind sets it itself".to_owned())]);
    }
    assert!(flags(&["topic.auto.offset.reset=earliest"]).is_err());
    assert_eq!(flags(&["no.such.thing=1"]).unwrap().get("no.such.thing"), Some("1"), "librdkafka's to refuse");
    for text in ["hunter2", "=hunter2", " = x"] {
        let error = flags(&[text]).unwrap_err();
        assert_eq!(error.code, Code::Usage);
        assert!(!format!("{error:?}").contains("hunter2"));
    }
}

#[test]
fn every_ignored_property_says_why() {
    let keys = [
        "request.timeout.ms",
        "default.api.timeout.ms",
        "key.deserializer",
        "max.poll.records",
        "fetch.min.bytes",
        "value.serializer",
        "interceptor.classes",
        "metric.reporters",
        "schema.registry.url",
        "confluent.monitoring.x",
        "ssl.protocol",
        "ssl.provider",
        "sasl.kerberos.service.name",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.login.callback.handler.class",
        "reconnect.backoff.ms",
        "my.own",
        "client.dns.lookup",
        "ssl.cipher.suites",
    ];
    let lines: String = keys.iter().map(|key| format!("{key}=x\n")).collect();
    let lines = lines
        .replace("client.dns.lookup=x", "client.dns.lookup=default")
        .replace("ssl.cipher.suites=x", "ssl.cipher.suites=TLS_AES_256_GCM_SHA384");
    let properties = from_file(&format!("bootstrap.servers=a\nsecurity.protocol=SSL\n{lines}{lines}"));
    assert_eq!(
        properties.iter().map(|(key, _)| key).collect::<Vec<_>>(),
        ["bootstrap.servers", "security.protocol", "ssl.ca.location"]
    );
    let mut names = ignored(&properties);
    names.sort_unstable();
    let mut expected = keys.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(properties.ignored().iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn brokers() {
    let servers =
        |text: &str| ClientProperties::build(Some(text), None, &[]).map(|it| it.bootstrap_servers().to_owned());
    for (text, expected) in [
        ("a", "a:9092"),
        (" a:1 , ,b ", "a:1,b:9092"),
        ("[::1]:1,[::1],fe80::1", "[::1]:1,[::1]:9092,[fe80::1]:9092"),
        ("PLAINTEXT://a:1", "a:1"),
        ("EXTERNAL://a:1", "a:1"),
    ] {
        assert_eq!(servers(text).unwrap(), expected);
    }
    for text in
        ["a:b", "a:0", "a:65536", "a:", ":9092", "a b", "[::1", "[]:1", "[::1]x", "http://a", "SSL://a:1", "a/b"]
    {
        let error = servers(text).unwrap_err();
        assert_eq!(error.code, Code::Usage, "{text}");
        assert!(!error.hints.is_empty());
    }
    for text in ["", ",", " "] {
        assert_eq!(servers(text).unwrap_err().message, "no broker was named", "{text:?}");
    }
    let error = ClientProperties::build(None, Some(("f", "client.id=x")), &[]).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Usage, "no broker was named"));
    assert!(error.hints[0].contains("-b HOST:PORT") && error.hints[0].contains("KREWIND_BOOTSTRAP_SERVER"));
}

#[test]
fn other_errors() {
    let error = file_error("a=b\nsecurity.protocol=TLS\n", &[]);
    assert_eq!(error.code, Code::BadFile);
    assert_eq!(error.message, "`TLS` is not a `security.protocol` in `client.properties`");
    assert_eq!(file_error("security.protocol=SSL", &["security.protocol=TLS"]).code, Code::Usage);
    assert_eq!(
        file_error("a=b\nsasl.password=\\u12x\n", &[]).message,
        "line 2 of `client.properties` has a `\\u` that is not followed by four hex digits"
    );
    assert!(file_error("client.id=\\u0000", &[]).message.contains("NUL"));
}

#[test]
fn secrets_are_hidden() {
    let properties =
        flags(&["sasl.password=hunter2", "ssl.key.password=hunter2", "client.id=x", "sasl.jaas.config=hunter2"])
            .unwrap();
    let described = properties.describe_redacted();
    assert!(described.contains(&("sasl.password".to_owned(), "***".to_owned())));
    assert!(described.contains(&("client.id".to_owned(), "x".to_owned())));
    assert!(!format!("{properties:?}").contains("hunter2"));
}

proptest! {
    #[test]
    fn no_input_panics(
        lines in proptest::collection::vec(
            ("(bootstrap.servers|security.protocol|sasl.mechanism|sasl.jaas.config|ssl.(trust|key)store.(type|location|key|certificates)|[a-z.]{0,9})",
             "(SSL|SASL_SSL|PEM|JKS|a.PlainLoginModule required [a-z=\";]{0,12}|-----BEGIN X-----[é ]{0,3}-----END X-----|\\PC{0,20})"),
            0..8,
        ),
        bootstrap in "(\\PC|[a-z:\\[\\]/,]){0,20}",
    ) {
        let file: String = lines.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        let flags: Vec<String> = lines.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let _ = ClientProperties::build(None, Some(("f", &file)), &[]);
        let _ = ClientProperties::build(Some(&bootstrap), Some(("f", &file)), &flags);
        let _ = ClientProperties::build(Some("a"), None, &flags);
    }
}
