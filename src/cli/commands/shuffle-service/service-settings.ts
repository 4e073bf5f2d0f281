import { resolve } from "node:path";
import {
  shuffleServiceFileEntries as inFile,
  shuffleServiceEntries as options,
  shuffleServiceAccessPrefix,
} from "../../../conf/entries/shuffle-service.ts";
import type { ConfEntry } from "../../../conf/entry.ts";
import { newestLine, traitsOf } from "../../../conf/spark-version.ts";
import { type Issue, issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { ServiceOption } from "./service-properties.ts";

/** Texts of settings: options override the properties file. */
interface ServiceTexts {
  readonly flag: (option: ServiceOption) => string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

/** Parses the settings of a shuffle service; paths are relative to `cwd`. @throws SubmitError with all problems */
export function serviceSettings(
  texts: ServiceTexts,
  { cwd, problems }: { readonly cwd: string; readonly problems: readonly Issue[] },
) {
  const issues: Issue[] = [...problems];
  const read = reader(texts, issues);
  const path = (text: string | undefined) => (text === undefined ? undefined : resolve(cwd, text));
  const directories = read.option("directories", options.directories);
  if (directories === undefined && !read.isSpecified("directories")) {
    issues.push(issue("SUBMIT_ERR_SHUFFLE_DIRECTORIES", { key: options.directories.key }));
  }
  const address = read.option("host", options.host);
  const metricsPort = read.option("metrics-port", options["metrics-port"]);
  const metricsHost = read.option("metrics-host", options["metrics-host"]);
  const stateDirectory = path(read.option("state-dir", options["state-dir"]));
  const secretsDirectory = path(read.option("secrets-dir", options["secrets-dir"]));
  const settings = {
    address,
    port: read.option("port", options.port),
    directories: directories ?? [],
    stateDirectory: read.file(inFile.dbEnabled) ? stateDirectory : undefined,
    authentication: authenticationOf(read, { path, issues, secretsDirectory }),
    tls: tlsOf(read, path, issues),
    metrics: metricsPort === undefined ? undefined : { address: metricsHost ?? address, port: metricsPort },
    cleaner: cleanerOf(read),
    limits: {
      maxConnections: read.option("max-connections", options["max-connections"]),
      maxChunksInFlight: read.file(inFile.maxChunksBeingTransferred),
      bufferBytes: read.option("buffer-memory", options["buffer-memory"]),
      requestBytes: read.option("request-memory", options["request-memory"]),
      indexCacheBytes: read.file(inFile.indexCacheSize),
      maxUnusedFiles: read.option("open-files", options["open-files"]),
      connectionTimeoutMs: read.file(inFile.connectionTimeout),
      handshakeTimeoutMs: read.option("handshake-timeout", options["handshake-timeout"]),
      drainMs: read.option("drain", options.drain),
    },
  };
  throwIssues(issues);
  return settings;
}

/** Reads settings. After an invalid text it returns the default: the issues prevent the start anyway. */
interface Reader {
  readonly option: <T>(option: ServiceOption, entry: ConfEntry<T>) => T;
  readonly file: <T>(entry: ConfEntry<T>) => T;
  readonly isSpecified: (option: ServiceOption) => boolean;
}

function reader({ flag, properties }: ServiceTexts, issues: Issue[]): Reader {
  const parse = <T>(entry: ConfEntry<T>, text: string, key: string): T => {
    const parsed = entry.parse(text, { key, traits: traitsOf(newestLine) });
    if (parsed.ok) return parsed.value;
    issues.push(...parsed.issues);
    return entry.absent;
  };
  const file = <T>(entry: ConfEntry<T>): T => {
    const key = [entry.key, ...entry.alternatives].find((name) => properties.has(name));
    const text = key === undefined ? undefined : properties.get(key);
    return key === undefined || text === undefined ? entry.absent : parse(entry, text, key);
  };
  return {
    option(option, entry) {
      const text = flag(option);
      return text === undefined ? file(entry) : parse(entry, text, `--${option}`);
    },
    file,
    isSpecified: (option) => flag(option) !== undefined || properties.has(options[option].key),
  };
}

function cleanerOf(read: Reader) {
  const server = read.option("api-server", options["api-server"]);
  const namespace = read.option("namespace", options.namespace);
  const clientModeMs = read.option("client-mode-absence", options["client-mode-absence"]);
  const cleaner = {
    ...{ server, namespace, settingPrefix: shuffleServiceAccessPrefix, orphanMs: clientModeMs },
    times: {
      retentionMs: read.option("retention", options.retention),
      absenceMs: read.option("absence", options.absence),
      clientModeMs,
    },
    cleanEveryMs: read.option("clean-interval", options["clean-interval"]),
  };
  return read.option("clean", options.clean) === "none" ? undefined : cleaner;
}

interface AuthenticationContext {
  readonly path: (text: string | undefined) => string | undefined;
  readonly issues: Issue[];
  readonly secretsDirectory: string | undefined;
}

function authenticationOf(read: Reader, context: AuthenticationContext) {
  const { issues } = context;
  const isEnabled = read.file(inFile.authenticate);
  const hasCrypto = read.file(inFile.cryptoEnabled);
  if (isEnabled === undefined)
    issues.push(issue("SUBMIT_ERR_SHUFFLE_AUTHENTICATION", { key: inFile.authenticate.key }));
  if (isEnabled !== true) {
    if (hasCrypto && isEnabled === false) {
      const reason = `${inFile.authenticate.key} is false`;
      issues.push(issue("SUBMIT_ERR_SHUFFLE_CONFLICT", { key: inFile.cryptoEnabled.key, value: "true", reason }));
    }
    return undefined;
  }
  const isGcm = read.file(inFile.cipher) === "AES/GCM/NoPadding";
  const version = read.file(inFile.authEngineVersion) === "2" ? (2 as const) : (1 as const);
  return {
    secrets: secretsOf(read, context),
    aes: hasCrypto ? { cipher: isGcm ? ("gcm" as const) : ("ctr" as const), version } : undefined,
    acceptsSasl: !hasCrypto || read.file(inFile.saslFallback),
    saslAlwaysEncrypts: read.file(inFile.saslAlwaysEncrypt),
    maxEncryptedBlockBytes: read.file(inFile.maxEncryptedBlockSize),
  };
}

function secretsOf(read: Reader, { path, issues, secretsDirectory }: AuthenticationContext) {
  const secret = read.file(inFile.secret);
  const file = path(read.file(inFile.secretFile));
  if (secretsDirectory !== undefined) return { kind: "directory" as const, directory: secretsDirectory };
  if (secret !== undefined && secret !== "") return { kind: "text" as const, secret };
  if (file !== undefined) return { kind: "file" as const, file, key: inFile.secretFile.key };
  const keys = [options["secrets-dir"].key, inFile.secret.key, inFile.secretFile.key];
  issues.push(issue("SUBMIT_ERR_SHUFFLE_SECRET_MISSING", { key: inFile.authenticate.key, keys }));
  return { kind: "text" as const, secret: "" };
}

function tlsOf(read: Reader, path: (text: string | undefined) => string | undefined, issues: Issue[]) {
  if (!read.file(inFile.tls)) return undefined;
  const [key, certificates] = [path(read.file(inFile.tlsKey)), path(read.file(inFile.tlsCertificates))];
  const keyStore = path(read.file(inFile.tlsKeyStore));
  if (key !== undefined && certificates !== undefined) {
    const password = read.file(inFile.tlsKeyPassword);
    return { kind: "pem" as const, key, certificates, password, setting: inFile.tlsKey.key };
  }
  if (keyStore !== undefined) {
    const password = read.file(inFile.tlsKeyStorePassword);
    return { kind: "pkcs12" as const, keyStore, password, setting: inFile.tlsKeyStore.key };
  }
  const reason = `neither ${inFile.tlsKey.key} and ${inFile.tlsCertificates.key} nor ${inFile.tlsKeyStore.key} are set`;
  issues.push(issue("SUBMIT_ERR_SHUFFLE_CONFLICT", { key: inFile.tls.key, value: "true", reason }));
  return undefined;
}
