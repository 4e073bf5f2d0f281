import { resolve } from "node:path";
import { stagingServerEntries as entries, stagingServerAccessPrefix } from "../../../conf/entries/staging-server.ts";
import type { ConfEntry } from "../../../conf/entry.ts";
import { newestLine, traitsOf } from "../../../conf/spark-version.ts";
import { type Issue, issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import { incompleteLoginIssues } from "../../../plan/incomplete-login.ts";
import { firesteelVersion } from "../../version.ts";
import type { OptionText, StagingOption } from "./option-texts.ts";

/** Parses the settings of a server from texts; paths are relative to `cwd`. @throws SubmitError with all problems */
export function serverSettings(
  texts: (option: StagingOption) => OptionText | undefined,
  { cwd, problems }: { readonly cwd: string; readonly problems: readonly Issue[] },
) {
  const issues: Issue[] = [...problems];
  const read = reader(texts, issues);
  const path = (option: keyof typeof paths) => {
    const text = read(option, paths[option]);
    return text === undefined ? undefined : resolve(cwd, text);
  };
  const store = storeOf(read, path, cwd);
  if (store?.kind === "hdfs")
    issues.push(...incompleteLoginIssues({ "--hdfs-principal": store.principal, "--hdfs-keytab": store.keytab }));
  if (texts("store") === undefined) issues.push(issue("SUBMIT_ERR_STAGING_STORE", {}));
  const settings = {
    version: firesteelVersion,
    address: read("host", entries.host),
    port: read("port", entries.port),
    store: store ?? { kind: "directory" as const, directory: "" },
    lease: read("lease-object", entries["lease-object"]),
    leaseDurationMs: read("lease-duration", entries["lease-duration"]),
    keys: path("keys"),
    internalUrl: read("internal-url", entries["internal-url"]),
    auth: read("auth", entries.auth),
    owners: read("owners", entries.owners),
    cluster: {
      server: read("api-server", entries["api-server"]),
      settingPrefix: stagingServerAccessPrefix,
      caCertFile: path("api-ca"),
      clientKeyFile: path("api-client-key"),
      clientCertFile: path("api-client-cert"),
      oauthToken: read("api-token", entries["api-token"]),
      oauthTokenFile: path("api-token-file"),
      usesServiceAccount: read("use-service-account", entries["use-service-account"]),
    },
    limits: limits(read),
    times: times(read),
    tls: {
      enabled: read("tls", entries.tls),
      keyPem: path("tls-key"),
      serverCertPem: path("tls-cert"),
      keyStore: path("tls-key-store"),
      keyStoreType: read("tls-key-store-type", entries["tls-key-store-type"]),
      keyStorePassword: read("tls-key-store-password", entries["tls-key-store-password"]),
      keyStorePasswordFile: path("tls-key-store-password-file"),
      keyPassword: read("tls-key-password", entries["tls-key-password"]),
      keyPasswordFile: path("tls-key-password-file"),
      needClientAuth: read("tls-client-auth", entries["tls-client-auth"]),
      clientCertPem: path("tls-client-ca"),
      trustStore: path("tls-trust-store"),
      reloadEveryMs: read("tls-reload", entries["tls-reload"]),
    },
  };
  throwIssues(issues);
  return settings;
}

/** Parses the store: a directory, a location in a bucket, or a directory of an HDFS. */
function storeOf(read: Read, path: (option: keyof typeof paths) => string | undefined, cwd: string) {
  const location = read("store", entries.store);
  if (location === undefined) return undefined;
  if (typeof location === "string") return { kind: "directory" as const, directory: resolve(cwd, location) };
  if ("hdfs" in location) {
    const principal = read("hdfs-principal", entries["hdfs-principal"]);
    return { kind: "hdfs" as const, uri: location.hdfs, principal, keytab: path("hdfs-keytab") };
  }
  return {
    kind: "s3" as const,
    ...location,
    endpoint: read("s3-endpoint", entries["s3-endpoint"]),
    region: read("s3-region", entries["s3-region"]),
    isPathStyle: read("s3-path-style", entries["s3-path-style"]),
    authorityFile: path("s3-ca"),
  };
}

/** Options whose values are paths. */
const paths = {
  "s3-ca": entries["s3-ca"],
  "hdfs-keytab": entries["hdfs-keytab"],
  keys: entries.keys,
  "api-ca": entries["api-ca"],
  "api-client-key": entries["api-client-key"],
  "api-client-cert": entries["api-client-cert"],
  "api-token-file": entries["api-token-file"],
  "tls-key": entries["tls-key"],
  "tls-cert": entries["tls-cert"],
  "tls-key-store": entries["tls-key-store"],
  "tls-key-store-password-file": entries["tls-key-store-password-file"],
  "tls-key-password-file": entries["tls-key-password-file"],
  "tls-client-ca": entries["tls-client-ca"],
  "tls-trust-store": entries["tls-trust-store"],
};

type Read = <T>(option: StagingOption, entry: ConfEntry<T>) => T;

/** Returns a parser of options. After an invalid text it returns the default: the issues prevent the start anyway. */
function reader(texts: (option: StagingOption) => OptionText | undefined, issues: Issue[]): Read {
  return (option, entry) => {
    const found = texts(option);
    if (found === undefined) return entry.absent;
    const parsed = entry.parse(found.text, { key: found.origin, traits: traitsOf(newestLine) });
    if (parsed.ok) return parsed.value;
    issues.push(...parsed.issues);
    return entry.absent;
  };
}

function limits(read: Read) {
  return {
    maxBlobBytes: read("max-blob-size", entries["max-blob-size"]),
    maxBundleBytes: read("max-bundle-size", entries["max-bundle-size"]),
    maxNamespaceBytes: read("max-namespace-size", entries["max-namespace-size"]),
    minFreeBytes: read("min-free", entries["min-free"]),
  };
}

function times(read: Read) {
  return {
    initialExpiryMs: read("initial-expiry", entries["initial-expiry"]),
    leaseMs: read("lease", entries.lease),
    retentionMs: read("retention", entries.retention),
    absenceMs: read("absence", entries.absence),
    cleanEveryMs: read("clean-interval", entries["clean-interval"]),
    graceMs: read("grace", entries.grace),
    uploadIdleMs: read("upload-idle", entries["upload-idle"]),
    bodyIdleMs: read("body-idle", entries["body-idle"]),
    tokenMs: read("token-life", entries["token-life"]),
    drainMs: read("drain", entries.drain),
  };
}
