import { type ConfEntry, entry, optionalEntry } from "../entry.ts";
import { boolean, bytes, checked, duration, integer, list, long, oneOf, serverUrl, text } from "../kinds.ts";
import { localDir } from "./app.ts";
import { authenticateEnabled, authenticateSecret } from "./executor.ts";

const own = "spark.firesteel.shuffleService";
const since = "firesteel";
const port = checked(integer, (value) => value >= 0 && value < 65_536, "Must be a port, 0 to 65535; 0 is any free one");
const positiveDuration = checked(duration("ms"), (value) => value > 0, "Must be more than 0");
const size = (minBytes: number, requirement: string) => checked(bytes("B"), (value) => value >= minBytes, requirement);
const absolutePaths = checked(
  list,
  (paths) => paths.length > 0 && paths.every((path) => path.startsWith("/")),
  "Must be absolute paths, separated by commas",
);

/** Settings of the shuffle service that are options too, by their option name without the leading hyphens. */
export const shuffleServiceEntries = {
  port: entry(port, {
    ...{ key: "spark.shuffle.service.port", since: "1.2.0", default: "7337" },
    doc: "The port to listen on. Executors and drivers use the same setting.",
  }),
  host: optionalEntry(text, {
    ...{ key: `${own}.host`, since },
    doc: "The address to listen on. The default is all addresses, IPv6 included.",
  }),
  directories: optionalEntry(absolutePaths, {
    ...{ key: localDir.key, since: "0.5.0" },
    doc: "Directories that contain the local directories of executors (required). The service reads and removes files only below them.",
  }),
  "state-dir": optionalEntry(text, {
    ...{ key: `${own}.stateDir`, since },
    doc: "Directory for the registrations of executors. Without it, a restart of the service loses them, and running executors do not register again.",
  }),
  "secrets-dir": optionalEntry(text, {
    ...{ key: `${own}.secretsDir`, since },
    doc: "Directory with the secret of each application, in a file with the name of the application ID. A file is read again for each connection, so you can add and replace files. Only one secret per application separates applications.",
  }),
  "metrics-host": optionalEntry(text, {
    ...{ key: `${own}.metricsHost`, since },
    doc: "The address of `/metrics`, `/healthz` and `/readyz`. The default is that of `--host`.",
  }),
  "metrics-port": optionalEntry(port, {
    ...{ key: `${own}.metricsPort`, since },
    doc: "The port of `/metrics`, `/healthz` and `/readyz`. Without it, the service does not serve them.",
  }),
  "max-connections": entry(
    checked(integer, (value) => value > 0, "Must be more than 0"),
    {
      ...{ key: `${own}.maxConnections`, since, default: "10000" },
      doc: "Most open connections. Further ones are closed, and clients try again.",
    },
  ),
  "buffer-memory": entry(size(1024 * 1024, "Must be at least 1m"), {
    ...{ key: `${own}.bufferMemory`, since, default: "32m" },
    doc: "Most memory for file content. Each running transfer needs 256 KiB; further ones wait.",
  }),
  "request-memory": entry(size(1024 * 1024, "Must be at least 1m"), {
    ...{ key: `${own}.requestMemory`, since, default: "128m" },
    doc: "Most memory for large incomplete requests and the block lists of open streams. Above it, connections are closed, and clients try again.",
  }),
  "open-files": entry(
    checked(integer, (value) => value >= 0, "Must not be negative"),
    {
      ...{ key: `${own}.openFiles`, since, default: "1024" },
      doc: "Most data files that stay open for the next request, for 10 s each.",
    },
  ),
  drain: entry(duration("ms"), {
    ...{ key: `${own}.drain`, since, default: "10s" },
    doc: "Time for running transfers when the service stops. Clients try again for 15 s by default, so a restart should take less.",
  }),
  "handshake-timeout": entry(positiveDuration, {
    ...{ key: `${own}.handshakeTimeout`, since, default: "30s" },
    doc: "Time in which a client must authenticate.",
  }),
  clean: entry(oneOf(["kubernetes", "none"]), {
    ...{ key: `${own}.clean`, since, default: "none" },
    doc: "`kubernetes`: removes the files of an application when its driver pod has ended or is gone. `none`: files stay until Spark's driver removes them.",
  }),
  "api-server": entry(serverUrl, {
    ...{ key: `${own}.apiServer`, since, default: "https://kubernetes.default.svc" },
    doc: "The Kubernetes API for `--clean kubernetes`. The credentials are those of the pod's service account, else of the kubeconfig.",
  }),
  namespace: optionalEntry(text, {
    ...{ key: `${own}.namespace`, since },
    doc: "The namespace of all drivers and executors. The default is all namespaces.",
  }),
  retention: entry(duration("ms"), {
    ...{ key: `${own}.retention`, since, default: "60s" },
    doc: "Retention of files after the driver pod has ended.",
  }),
  absence: entry(duration("ms"), {
    ...{ key: `${own}.absence`, since, default: "60s" },
    doc: "Least time between two complete lists without the driver pod before its files are removed.",
  }),
  "client-mode-absence": entry(duration("ms"), {
    ...{ key: `${own}.clientModeAbsence`, since, default: "1h" },
    doc: "The same for applications whose driver pod was never seen, such as those in client mode, and for directories of applications that have no registration.",
  }),
  "clean-interval": entry(positiveDuration, {
    ...{ key: `${own}.cleanInterval`, since, default: "30s" },
    doc: "Interval between two evaluations of all applications.",
  }),
} as const;

/** Settings of the shuffle service that only the properties file can contain: Spark's own. */
export const shuffleServiceFileEntries = {
  authenticate: optionalEntry(boolean, {
    ...{ key: authenticateEnabled.key, since: "1.0.0" },
    doc: "Whether clients must authenticate (required). Set it to `false` only if nothing but your executors and drivers reaches the port: without authentication, each client can read and remove the shuffle files of all applications.",
  }),
  secret: optionalEntry(text, {
    ...{ key: authenticateSecret.key, since: "1.0.0" },
    doc: "One secret for all applications. It does not separate them: who has it can act as any application.",
  }),
  secretFile: optionalEntry(text, {
    ...{ key: "spark.authenticate.secret.file", since: "3.0.0" },
    doc: "File whose bytes, as Base64, are the secret for all applications.",
  }),
  cryptoEnabled: entry(boolean, {
    ...{ key: "spark.network.crypto.enabled", since: "2.2.0", default: "false" },
    doc: "Offers the AES handshake.",
  }),
  cipher: entry(oneOf(["AES/CTR/NoPadding", "AES/GCM/NoPadding"]), {
    ...{ key: "spark.network.crypto.cipher", since: "4.0.0", default: "AES/CTR/NoPadding" },
    doc: "Cipher after an AES handshake. It must be that of the clients. Prefer GCM, which detects changes.",
  }),
  authEngineVersion: entry(oneOf(["1", "2"]), {
    ...{ key: "spark.network.crypto.authEngineVersion", since: "3.3.2", default: "1" },
    doc: "Version of the AES handshake. It must be that of the clients. Prefer 2.",
  }),
  saslFallback: entry(boolean, {
    ...{ key: "spark.network.crypto.saslFallback", since: "2.2.0", default: "true" },
    doc: "Accepts SASL too if the AES handshake is offered.",
  }),
  saslAlwaysEncrypt: entry(boolean, {
    ...{ key: "spark.network.sasl.serverAlwaysEncrypt", since: "1.4.0", default: "false" },
    doc: "Rejects clients that use SASL without encryption.",
  }),
  maxEncryptedBlockSize: entry(
    checked(bytes("B"), (value) => value >= 1024 && value <= 1024 ** 2, "Must be 1k to 1m"),
    {
      ...{ key: "spark.network.sasl.maxEncryptedBlockSize", since: "1.4.0", default: "64k" },
      doc: "Size of the blocks of SASL encryption.",
    },
  ),
  indexCacheSize: entry(size(0, "Must not be negative"), {
    ...{ key: "spark.shuffle.service.index.cache.size", since: "2.3.0", default: "100m" },
    doc: "Most memory for index files.",
  }),
  maxChunksBeingTransferred: entry(
    checked(long, (value) => value > 0, "Must be more than 0"),
    {
      ...{ key: "spark.shuffle.maxChunksBeingTransferred", since: "2.3.0", default: "9223372036854775807" },
      doc: "Most chunks that are being sent. Above it, connections are closed, and clients try again.",
    },
  ),
  connectionTimeout: entry(positiveDuration, {
    ...{ key: "spark.shuffle.io.connectionTimeout", since: "1.2.0", default: "120s" },
    alternatives: ["spark.network.timeout"],
    doc: "Time without traffic after which a connection is closed.",
  }),
  dbEnabled: entry(boolean, {
    ...{ key: "spark.shuffle.service.db.enabled", since: "3.0.0", default: "true" },
    doc: "Whether registrations survive a restart, if there is a state directory.",
  }),
  tls: entry(boolean, {
    ...{ key: "spark.ssl.rpc.enabled", since: "4.0.0", default: "false" },
    doc: "Whether clients connect by TLS. Spark 3.5 cannot.",
  }),
  tlsKey: sslEntry("privateKey", "PEM of the service's key."),
  tlsKeyPassword: sslEntry("privateKeyPassword", "Password of the key in PEM."),
  tlsCertificates: sslEntry("certChain", "PEM of the service's certificate chain."),
  tlsKeyStore: sslEntry(
    "keyStore",
    "Key and certificate in PKCS#12, instead of PEM. Convert a JKS file with `keytool -importkeystore`.",
  ),
  tlsKeyStorePassword: sslEntry("keyStorePassword", "Password of the key store."),
} as const;

/** Prefix of the settings that only this service has. */
export const shuffleServicePrefix = `${own}.`;

/** Prefix of the credentials of the service for the API server, for messages. */
export const shuffleServiceAccessPrefix = own;

function sslEntry(name: string, doc: string): ConfEntry<string | undefined> {
  return optionalEntry(text, {
    key: `spark.ssl.rpc.${name}`,
    alternatives: [`spark.ssl.${name}`],
    since: "4.0.0",
    doc,
  });
}
