import { success } from "../../errors/issue.ts";
import { printS3Location, type S3Location } from "../../values/s3-location.ts";
import { type ConfEntry, entry, type Kind, optionalEntry } from "../entry.ts";
import { boolean, bytes, checked, duration, integer, oneOf, serverUrl, text } from "../kinds.ts";
import { s3Location } from "../s3-location-kind.ts";

const own = "spark.firesteel.stagingServer";
/** Prefix of the keys of the staging server of 2017. */
const old = "spark.kubernetes.resourceStagingServer";
const oldAccess = "spark.kubernetes.authenticate.resourceStagingServer";
const ssl = "spark.ssl.kubernetes.resourceStagingServer";

const since = "firesteel";
const positive = (unit: "ms") => checked(duration(unit), (value) => value > 0, "Must be more than 0");
const size = checked(bytes("B"), (value) => value >= 0, "Must not be negative");

/** Directory of an HDFS, e.g. `hdfs://nameservice1/user/firesteel/staging`. */
interface HdfsLocation {
  readonly hdfs: string;
}

/** Directory, location in a bucket, or directory of an HDFS. */
const storeLocation: Kind<string | S3Location | HdfsLocation> = {
  parse: (text, context) => {
    if (hdfsScheme.test(text)) return success({ hdfs: text });
    return /^[a-z][a-z0-9]+:/i.test(text) ? s3Location.parse(text, context) : success(text);
  },
  print: (location) => {
    if (typeof location === "string") return location;
    return "hdfs" in location ? location.hdfs : printS3Location(location);
  },
};

const hdfsScheme = /^(s?webhdfs|hdfs):/i;

/** Settings of a staging server, by their option name without the leading hyphens. */
export const stagingServerEntries = {
  port: entry(
    checked(integer, (port) => port >= 0 && port < 65_536, "Must be a port, 0 to 65535; 0 is any free one"),
    {
      key: `${own}.port`,
      alternatives: [`${old}.port`],
      since,
      default: "10000",
      doc: "The port to listen on.",
    },
  ),
  host: entry(text, { key: `${own}.host`, since, default: "0.0.0.0", doc: "The address to listen on." }),
  store: optionalEntry(storeLocation, {
    key: `${own}.store`,
    since,
    doc: "Location of all data (required): a directory, `s3://bucket/directory` with the credentials of the AWS tools, or `hdfs://nameservice/directory` (also `webhdfs:` and `swebhdfs:`) with the configuration in HADOOP_CONF_DIR. The data survives restarts, and several servers may share it.",
  }),
  "s3-endpoint": optionalEntry(serverUrl, {
    key: `${own}.s3.endpoint`,
    since,
    doc: "The S3 server of the store, if it is not Amazon's.",
  }),
  "s3-region": optionalEntry(text, {
    key: `${own}.s3.region`,
    since,
    doc: "The region of the store's bucket. The default is that of the AWS tools.",
  }),
  "s3-path-style": optionalEntry(boolean, {
    key: `${own}.s3.pathStyle`,
    since,
    doc: "Whether the bucket is part of the path instead of the host name. The default is true for servers other than Amazon's.",
  }),
  "s3-ca": optionalEntry(text, {
    key: `${own}.s3.caCertFile`,
    since,
    doc: "CA certificate of the store's S3 server, as PEM.",
  }),
  "hdfs-principal": optionalEntry(text, {
    key: `${own}.hdfs.principal`,
    since,
    doc: "Kerberos principal for the HDFS of the store, with `--hdfs-keytab`. The default is that of the process's tickets (KRB5CCNAME).",
  }),
  "hdfs-keytab": optionalEntry(text, {
    key: `${own}.hdfs.keytab`,
    since,
    doc: "File with the keys of `--hdfs-principal`.",
  }),
  "lease-object": optionalEntry(
    checked(
      text,
      (name) => /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\/)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name),
      "Must be NAME or NAMESPACE/NAME",
    ),
    {
      key: `${own}.leaseObject`,
      since,
      doc: "Kubernetes Lease by which several servers with one store elect the one that cleans it: `name` or `namespace/name`. Without it, each server cleans.",
    },
  ),
  "lease-duration": entry(
    checked(duration("ms"), (value) => value >= 1000, "Must be at least 1s"),
    {
      key: `${own}.leaseDuration`,
      since,
      default: "30s",
      doc: "Time without a renewal after which another server acquires the Lease of `--lease-object`. Its holder renews it three times in this time.",
    },
  ),
  keys: optionalEntry(text, {
    key: `${own}.keys`,
    since,
    doc: "Directory with the keys for tokens, e.g. a mounted Secret: each file is a key. The last by name signs, and all are accepted. Without it, the store has its own key.",
  }),
  auth: entry(oneOf(["kubernetes", "none"]), {
    key: `${own}.auth`,
    since,
    default: "kubernetes",
    doc: "Clients that may stage files: `kubernetes`, any account that can create pods in the namespace of the files; `none`, any client that reaches the server.",
  }),
  owners: entry(oneOf(["kubernetes", "none"]), {
    key: `${own}.owners`,
    since,
    default: "kubernetes",
    doc: "Lifetime of bundles: `kubernetes`, as long as pods with their labels exist; `none`, until they expire.",
  }),
  "internal-url": optionalEntry(text, {
    key: `${own}.internalUrl`,
    alternatives: [`${old}.internal.uri`],
    since,
    doc: "Address of the server for pods, if it differs from the client's.",
  }),
  "max-blob-size": entry(size, {
    key: `${own}.maxBlobSize`,
    since,
    default: "10g",
    doc: "Maximum size of a file.",
  }),
  "max-bundle-size": entry(size, {
    key: `${own}.maxBundleSize`,
    since,
    default: "20g",
    doc: "Maximum size of a bundle.",
  }),
  "max-namespace-size": optionalEntry(size, {
    key: `${own}.maxNamespaceSize`,
    since,
    doc: "Maximum size of all files of a namespace.",
  }),
  "min-free": entry(size, {
    key: `${own}.minFree`,
    since,
    default: "64m",
    doc: "Minimum free space on the disk.",
  }),
  "initial-expiry": entry(positive("ms"), {
    key: `${own}.initialExpiry`,
    alternatives: [`${old}.initialAccessExpirationTimeout`],
    since,
    default: "30m",
    doc: "Lifetime of a bundle whose owners were never found.",
  }),
  lease: entry(positive("ms"), {
    key: `${own}.lease`,
    since,
    default: "30m",
    doc: "Time by which an existing owner extends the lifetime of a bundle.",
  }),
  retention: entry(duration("ms"), {
    key: `${own}.retention`,
    since,
    default: "1h",
    doc: "Lifetime of a bundle after all its owners have ended.",
  }),
  absence: entry(duration("ms"), {
    key: `${own}.absence`,
    since,
    default: "30s",
    doc: "Minimum time between two checks that both miss the owners before a bundle is deleted.",
  }),
  "clean-interval": entry(positive("ms"), {
    key: `${own}.cleanInterval`,
    since,
    default: "30s",
    doc: "Time between two checks of the owners.",
  }),
  // A file that the server reports as present must exist until the request that names it.
  grace: entry(
    checked(duration("ms"), (value) => value >= 1000, "Must be at least 1s"),
    {
      key: `${own}.grace`,
      since,
      default: "1h",
      doc: "Lifetime of a file that no bundle contains.",
    },
  ),
  "upload-idle": entry(positive("ms"), {
    key: `${own}.uploadIdle`,
    since,
    default: "1h",
    doc: "Time after which an upload without progress is deleted.",
  }),
  "body-idle": entry(positive("ms"), {
    key: `${own}.bodyIdle`,
    since,
    default: "60s",
    doc: "Maximum time between two parts of a request body. A body that takes longer must have 240 bytes per second on average.",
  }),
  "token-life": entry(positive("ms"), {
    key: `${own}.tokenLife`,
    since,
    default: "7d",
    doc: "Validity of the token of a bundle; it expires with the bundle at the latest.",
  }),
  drain: entry(duration("ms"), {
    key: `${own}.drain`,
    since,
    default: "30s",
    doc: "Maximum time for running requests when the server stops.",
  }),
  "api-server": entry(text, {
    key: `${own}.apiServer`,
    alternatives: [`${old}.apiServer.url`],
    since,
    default: "https://kubernetes.default.svc",
    doc: "API server that authenticates callers and lists owners.",
  }),
  "api-ca": optionalEntry(text, {
    key: `${oldAccess}.caCertFile`,
    alternatives: [`${old}.apiServer.caCertFile`],
    since,
    doc: "CA certificate of the API server, as PEM.",
  }),
  "api-client-key": optionalEntry(text, {
    key: `${oldAccess}.clientKeyFile`,
    since,
    doc: "PEM of the staging server's key for the API server.",
  }),
  "api-client-cert": optionalEntry(text, {
    key: `${oldAccess}.clientCertFile`,
    since,
    doc: "PEM of the staging server's certificate for the API server.",
  }),
  "api-token-file": optionalEntry(text, {
    key: `${oldAccess}.oauthTokenFile`,
    since,
    doc: "File with the staging server's token for the API server; read again when it changes.",
  }),
  "api-token": optionalEntry(text, {
    key: `${oldAccess}.oauthToken`,
    since,
    doc: "The token itself; prefer a file.",
  }),
  "use-service-account": entry(boolean, {
    key: `${oldAccess}.useServiceAccountCredentials`,
    since,
    default: "true",
    doc: "Whether to use the pod's service account if no other credentials are specified.",
  }),
  tls: optionalEntry(boolean, {
    key: `${ssl}.enabled`,
    alternatives: ["spark.ssl.enabled"],
    since,
    doc: "Whether the server uses TLS. The default is true if it has a key.",
  }),
  "tls-key": sslEntry("keyPem", "PEM of the server's key; a new one is used when the file changes."),
  "tls-cert": sslEntry("serverCertPem", "PEM of the server's certificate chain."),
  "tls-key-store": sslEntry("keyStore", "Key and certificate in PKCS#12, instead of PEM."),
  "tls-key-store-type": sslEntry("keyStoreType", "Must be PKCS12."),
  "tls-key-store-password": sslEntry("keyStorePassword", "Password of the key store; prefer a file."),
  "tls-key-store-password-file": sslEntry("keyStorePasswordFile", "File with the password of the key store."),
  "tls-key-password": sslEntry("keyPassword", "Password of the key in PEM; prefer a file."),
  "tls-key-password-file": sslEntry("keyPasswordFile", "File with the password of the key in PEM."),
  "tls-client-auth": entry(boolean, {
    key: `${ssl}.needClientAuth`,
    alternatives: ["spark.ssl.needClientAuth"],
    since,
    default: "false",
    doc: "Whether clients must have a certificate.",
  }),
  "tls-client-ca": sslEntry("clientCertPem", "CA certificates of clients, as PEM."),
  "tls-trust-store": sslEntry("trustStore", "Not supported: specify the CA certificates of clients as PEM."),
  "tls-reload": entry(positive("ms"), {
    key: `${own}.tlsReload`,
    since,
    default: "10s",
    doc: "Time between two checks of key and certificate.",
  }),
} as const;

/** Prefix of the staging server's credentials for the API server, for messages. */
export const stagingServerAccessPrefix = oldAccess;

/** Prefixes of all settings of a staging server. */
export const stagingServerPrefixes: readonly string[] = [`${own}.`, `${old}.`, `${oldAccess}.`, `${ssl}.`];

/** Settings of the client with the same prefixes. */
export const clientStagingKeys: readonly string[] = [`${old}.uri`];

function sslEntry(name: string, doc: string): ConfEntry<string | undefined> {
  return optionalEntry(text, { key: `${ssl}.${name}`, alternatives: [`spark.ssl.${name}`], since, doc });
}
