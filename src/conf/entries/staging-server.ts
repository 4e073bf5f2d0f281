import { success } from "../../errors/issue.ts";
import { printS3Location, type S3Location } from "../../values/s3-location.ts";
import { type ConfEntry, entry, type Kind, optionalEntry } from "../entry.ts";
import { boolean, bytes, checked, duration, integer, oneOf, serverUrl, text } from "../kinds.ts";
import { s3Location } from "../s3-location-kind.ts";

const own = "spark.firesteel.stagingServer";
/** The keys of the staging server of 2017. */
const old = "spark.kubernetes.resourceStagingServer";
const oldAccess = "spark.kubernetes.authenticate.resourceStagingServer";
const ssl = "spark.ssl.kubernetes.resourceStagingServer";

const since = "firesteel";
const positive = (unit: "ms") => checked(duration(unit), (value) => value > 0, "Must be more than 0");
const size = checked(bytes("B"), (value) => value >= 0, "Must not be negative");

/** A folder, or a place in a bucket. */
const storeLocation: Kind<string | S3Location> = {
  parse: (given, context) =>
    /^[a-z][a-z0-9]+:/i.test(given) ? s3Location.parse(given, context) : success(given),
  print: (place) => (typeof place === "string" ? place : printS3Location(place)),
};

/** What can be set of a staging server, by the name that it has on the command line, without its hyphens. */
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
    doc: "Where everything is kept; needed: a folder, or `s3://bucket/folder` with the credentials that the AWS tools find. What is there outlives restarts, and several servers may share it.",
  }),
  "s3-endpoint": optionalEntry(serverUrl, {
    key: `${own}.s3.endpoint`,
    since,
    doc: "The S3 server of the store, if it is not Amazon's.",
  }),
  "s3-region": optionalEntry(text, {
    key: `${own}.s3.region`,
    since,
    doc: "The region of the store's bucket; without it, that of the AWS tools.",
  }),
  "s3-path-style": optionalEntry(boolean, {
    key: `${own}.s3.pathStyle`,
    since,
    doc: "Whether the bucket is a part of the path, and not of the host's name; without it, so for servers that are not Amazon's.",
  }),
  "s3-ca": optionalEntry(text, {
    key: `${own}.s3.caCertFile`,
    since,
    doc: "PEM of the authority of the store's S3 server.",
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
      doc: "A Lease of Kubernetes by which several servers over one store agree who cleans it: `name` or `namespace/name`. Without it, each cleans.",
    },
  ),
  keys: optionalEntry(text, {
    key: `${own}.keys`,
    since,
    doc: "Folder with the keys of tokens, e.g. a mounted Secret: each file is a key, the last by name signs, all of them are accepted. Without it, the store has a key of its own.",
  }),
  auth: entry(oneOf(["kubernetes", "none"]), {
    key: `${own}.auth`,
    since,
    default: "kubernetes",
    doc: "Who may stage: kubernetes, whoever may create pods in the namespace that the files are for; none, everybody who reaches the server.",
  }),
  owners: entry(oneOf(["kubernetes", "none"]), {
    key: `${own}.owners`,
    since,
    default: "kubernetes",
    doc: "How long bundles stay: kubernetes, as long as pods with their labels do; none, until their time is over.",
  }),
  "internal-url": optionalEntry(text, {
    key: `${own}.internalUrl`,
    alternatives: [`${old}.internal.uri`],
    since,
    doc: "How pods reach the server, if that is another address than the client's.",
  }),
  "max-blob-size": entry(size, {
    key: `${own}.maxBlobSize`,
    since,
    default: "10g",
    doc: "Most bytes of one file.",
  }),
  "max-bundle-size": entry(size, {
    key: `${own}.maxBundleSize`,
    since,
    default: "20g",
    doc: "Most bytes of one bundle.",
  }),
  "max-namespace-size": optionalEntry(size, {
    key: `${own}.maxNamespaceSize`,
    since,
    doc: "Most bytes that are kept for one namespace.",
  }),
  "min-free": entry(size, {
    key: `${own}.minFree`,
    since,
    default: "64m",
    doc: "What is to stay free on the disk.",
  }),
  "initial-expiry": entry(positive("ms"), {
    key: `${own}.initialExpiry`,
    alternatives: [`${old}.initialAccessExpirationTimeout`],
    since,
    default: "30m",
    doc: "How long a bundle stays of which no owner was ever seen.",
  }),
  lease: entry(positive("ms"), {
    key: `${own}.lease`,
    since,
    default: "30m",
    doc: "By how much an owner that is there prolongs the life of a bundle.",
  }),
  retention: entry(duration("ms"), {
    key: `${own}.retention`,
    since,
    default: "1h",
    doc: "How long a bundle stays after all its owners have ended.",
  }),
  absence: entry(duration("ms"), {
    key: `${own}.absence`,
    since,
    default: "30s",
    doc: "Owners that were there must be missing at two looks so far apart before a bundle goes.",
  }),
  "clean-interval": entry(positive("ms"), {
    key: `${own}.cleanInterval`,
    since,
    default: "30s",
    doc: "From one look at the owners to the next.",
  }),
  // What is announced as present must outlive the request that names it.
  grace: entry(
    checked(duration("ms"), (value) => value >= 1000, "Must be at least 1s"),
    {
      key: `${own}.grace`,
      since,
      default: "1h",
      doc: "How long a file stays that no bundle names.",
    },
  ),
  "upload-idle": entry(positive("ms"), {
    key: `${own}.uploadIdle`,
    since,
    default: "1h",
    doc: "How long an upload stays with which nobody goes on.",
  }),
  "body-idle": entry(positive("ms"), {
    key: `${own}.bodyIdle`,
    since,
    default: "60s",
    doc: "How long the next bytes of a request may take.",
  }),
  "token-life": entry(positive("ms"), {
    key: `${own}.tokenLife`,
    since,
    default: "7d",
    doc: "How long the token of a bundle is good; it is never good for longer than the bundle is there.",
  }),
  drain: entry(duration("ms"), {
    key: `${own}.drain`,
    since,
    default: "30s",
    doc: "How long running requests may take when the server is to end.",
  }),
  "api-server": entry(text, {
    key: `${own}.apiServer`,
    alternatives: [`${old}.apiServer.url`],
    since,
    default: "https://kubernetes.default.svc",
    doc: "The API server that knows callers and owners.",
  }),
  "api-ca": optionalEntry(text, {
    key: `${oldAccess}.caCertFile`,
    alternatives: [`${old}.apiServer.caCertFile`],
    since,
    doc: "PEM of the API server's authority.",
  }),
  "api-client-key": optionalEntry(text, {
    key: `${oldAccess}.clientKeyFile`,
    since,
    doc: "PEM of our key for the API server.",
  }),
  "api-client-cert": optionalEntry(text, {
    key: `${oldAccess}.clientCertFile`,
    since,
    doc: "PEM of our certificate for the API server.",
  }),
  "api-token-file": optionalEntry(text, {
    key: `${oldAccess}.oauthTokenFile`,
    since,
    doc: "Our token for the API server; read again when it changes.",
  }),
  "api-token": optionalEntry(text, {
    key: `${oldAccess}.oauthToken`,
    since,
    doc: "The same, as it stands; give a file instead.",
  }),
  "use-service-account": entry(boolean, {
    key: `${oldAccess}.useServiceAccountCredentials`,
    since,
    default: "true",
    doc: "Whether the service account of the pod is used where nothing else is given.",
  }),
  tls: optionalEntry(boolean, {
    key: `${ssl}.enabled`,
    alternatives: ["spark.ssl.enabled"],
    since,
    doc: "Whether the server speaks TLS; without it, if it has a key.",
  }),
  "tls-key": sslEntry("keyPem", "PEM of the server's key; a new one is used when the file changes."),
  "tls-cert": sslEntry("serverCertPem", "PEM of the server's certificate and those above it."),
  "tls-key-store": sslEntry("keyStore", "Key and certificate in PKCS#12, instead of PEM."),
  "tls-key-store-type": sslEntry("keyStoreType", "Must be PKCS12."),
  "tls-key-store-password": sslEntry("keyStorePassword", "Of the key store; give a file instead."),
  "tls-key-store-password-file": sslEntry("keyStorePasswordFile", "File with the password of the key store."),
  "tls-key-password": sslEntry("keyPassword", "Of the key in PEM; give a file instead."),
  "tls-key-password-file": sslEntry("keyPasswordFile", "File with the password of the key in PEM."),
  "tls-client-auth": entry(boolean, {
    key: `${ssl}.needClientAuth`,
    alternatives: ["spark.ssl.needClientAuth"],
    since,
    default: "false",
    doc: "Whether clients must have a certificate.",
  }),
  "tls-client-ca": sslEntry("clientCertPem", "PEM of the authorities of clients."),
  "tls-trust-store": sslEntry("trustStore", "Refused: give the authorities of clients in PEM."),
  "tls-reload": entry(positive("ms"), {
    key: `${own}.tlsReload`,
    since,
    default: "10s",
    doc: "From one look at key and certificate to the next.",
  }),
} as const;

/** For messages about who we are to the API server. */
export const stagingServerAccessPrefix = oldAccess;

/** What is of a staging server, though it may be unknown. */
export const stagingServerPrefixes: readonly string[] = [`${own}.`, `${old}.`, `${oldAccess}.`, `${ssl}.`];

/** Of the client, in the same families. */
export const clientStagingKeys: readonly string[] = [`${old}.uri`];

function sslEntry(name: string, doc: string): ConfEntry<string | undefined> {
  return optionalEntry(text, { key: `${ssl}.${name}`, alternatives: [`spark.ssl.${name}`], since, doc });
}
