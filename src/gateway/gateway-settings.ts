import { resolve } from "node:path";
import type { Setting } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { parseArchiveLocation } from "../values/archive-location.ts";
import { parseDuration } from "../values/duration.ts";
import { authenticationSettings } from "./authentication-settings.ts";
import { invalidOption } from "./invalid-option.ts";
import { parseLivyConf } from "./livy/livy-conf.ts";
import type { LogLocation } from "./logs/log-store.ts";
import { loopback } from "./loopback.ts";
import type { oidcOptions } from "./oidc/oidc-settings.ts";
import { parsePort, portRange } from "./parse-port.ts";
import { publicSettings } from "./public-settings.ts";
import { parseQueueRules } from "./queue/parse-rules.ts";
import type { GatewaySettings } from "./settings.ts";
import { standaloneSettings } from "./standalone-settings.ts";
import { tlsSettings } from "./tls-settings.ts";
import { isWebhookSetting, parseWebhooks } from "./webhooks/parse-webhooks.ts";

/** Options of the command line. */
interface GatewayOptions {
  readonly has: (flag: "--csrf" | "--elect" | "--history-server" | "--impersonate") => boolean;
  /** Returns the last value of an option. */
  readonly value: (name: ValueOption) => string | undefined;
}

type ValueOption =
  | (typeof oidcOptions)[number]
  | "--session-key-file"
  | "--external-url"
  | "--ui-port"
  | "--ui-url"
  | "--port"
  | "--host"
  | "--auth"
  | "--name"
  | "--prefix"
  | "--metrics-port"
  | "--rest-port"
  | "--rest-host"
  | "--password-file"
  | "--livy-list"
  | "--livy-names"
  | "--rejected-settings"
  | "--user-rate"
  | "--user-concurrent"
  | "--allowed-hosts"
  | "--tls-cert"
  | "--tls-key"
  | "--tls-client-ca"
  | "--keep"
  | "--log-dir"
  | "--store"
  | "--keep-max";

/** Settings that do not depend on the cluster. */
type OwnSettings = Omit<GatewaySettings, "ownNamespace" | "namespace" | "namespaces">;

interface SettingsInput {
  /** Settings of the command line and the properties file. */
  readonly defaults: ReadonlyMap<string, Setting>;
  /** All entries of the properties file, including those that do not belong to Spark. */
  readonly properties: ReadonlyMap<string, string>;
}

/** Setting of the URL of the history server. */
const historyServerKey = "gateway.historyServer";
/** Port of Livy. */
const defaultPort = 8998;
/** Submissions at the same time. Each has up to three requests at the API, and more of them would delay the requests that accept applications. */
const maxConcurrentSubmissions = 6;
const connectionKeys =
  /^spark\.(master(\..*)?|org\.apache\.spark\.ui\..*|submit\.deployMode|kubernetes\.context|kubernetes\.authenticate\.submission\..*)$/;

/**
 * Builds the settings of a gateway, with warnings about keys that change nothing.
 *
 * @throws SUBMIT_ERR_ARG_VALUE, SUBMIT_ERR_GATEWAY_AUTH, SUBMIT_ERR_GATEWAY_HISTORY_SERVER, with every problem
 */
export function gatewaySettings(
  host: Pick<Host, "user" | "cwd" | "files" | "env">,
  options: GatewayOptions,
  { defaults, properties }: SettingsInput,
): { readonly settings: OwnSettings; readonly warnings: readonly string[] } {
  const livyEntries = [...properties].filter(([key]) => key.startsWith("livy."));
  const { conf, issues: livyIssues, warnings } = parseLivyConf(new Map(livyEntries));
  const issues: Issue[] = [...livyIssues];
  const read = reader(options, issues);
  const address = options.value("--host") ?? conf.address ?? "127.0.0.1";
  const { tls, issues: tlsIssues } = tlsSettings({ cwd: host.cwd, value: options.value });
  const { authentication, issues: authenticationIssues } = authenticationSettings({ ...host, value: options.value });
  const prefix = (options.value("--prefix") ?? "").replace(/\/+$/, "");
  const { externalUrl, ui, issues: publicIssues } = publicSettings({ prefix, value: options.value });
  issues.push(...tlsIssues, ...authenticationIssues, ...publicIssues);
  const isOpen = options.value("--auth") === undefined && authentication.kind === "none";
  if (isOpen && conf.authenticationType !== undefined)
    issues.push(authIssue(`livy.server.auth.type is ${conf.authenticationType}, which it does not support`));
  else if (isOpen && !loopback.test(address)) issues.push(authIssue(`other machines can reach ${address}`));
  if (authentication.kind === "none" && conf.access !== undefined)
    issues.push(authIssue("livy.server.access-control.enabled needs to know the user"));
  if (authentication.kind === "none" && options.has("--impersonate"))
    issues.push(authIssue("--impersonate needs to know the user"));
  const standalone = standaloneSettings({
    ...{ port: options.value("--rest-port"), address: options.value("--rest-host"), gatewayAddress: address },
    ...{ env: host.env, defaults },
  });
  const ownHistoryServer = properties.get(historyServerKey);
  if (ownHistoryServer !== undefined && !/^https?:\/\/[^/\s]+[^\s?#]*$/.test(ownHistoryServer)) {
    const allowed = "a URL such as http://history.example:18080";
    issues.push(invalidOption(historyServerKey, ownHistoryServer, allowed));
  }
  if (options.has("--history-server")) {
    const usedUrl = ownHistoryServer ?? conf.historyServer;
    if (usedUrl !== undefined) issues.push(historyIssue(`${usedUrl} is another one`));
    if (authentication.kind !== "none" && options.value("--ui-port") === undefined)
      issues.push(historyIssue("clients authenticate, so its pages need a port of their own, with --ui-port"));
  }
  const isOfQueues = ([key]: readonly [string, string]) => key !== historyServerKey && !isWebhookSetting(key);
  const queues = parseQueueRules(new Map([...properties].filter(isOfQueues)));
  const { webhooks, issues: webhookIssues } = parseWebhooks(host, properties);
  issues.push(...standalone.issues, ...queues.issues, ...webhookIssues);
  const store = options.value("--store");
  if (store !== undefined && options.has("--elect"))
    issues.push(invalidOption("--store", store, "a directory without --elect, because one gateway uses the database"));
  const port = read("--port", parsePort, portRange) ?? confPort(conf.port, issues);
  const { port: _, address: __, keepMs: ___, authenticationType: ____, historyServer, ...livy } = conf;
  const settings: OwnSettings = {
    name: options.value("--name") ?? "gateway",
    ...{
      address,
      port,
      tls,
      prefix,
      externalUrl,
      ui,
      metricsPort: read("--metrics-port", parsePort, portRange),
      sessionKeyFile: pathOf(host, options.value("--session-key-file")),
    },
    defaults: Object.fromEntries(
      [...defaults.values()].filter(isDefault).map(({ key, value }): [string, string] => [key, value]),
    ),
    ...{ user: host.user.name, authentication, standalone: standalone.settings },
    historyServer: ownHistoryServer ?? historyServer,
    ...{ queues: queues.rules, webhooks, isElected: options.has("--elect"), storeDirectory: pathOf(host, store) },
    livy: {
      ...livy,
      isCsrfProtected: options.has("--csrf") || conf.isCsrfProtected,
      rejectedSettings: rejectedSettings(host, options, issues),
      listsOwnBatchesOnly: read("--livy-list", oneOf("all", "own"), "all, own") === "own",
      reusesNames: read("--livy-names", oneOf("unique", "reusable"), "unique, reusable") === "reusable",
    },
    isImpersonating: options.has("--impersonate"),
    allowedHosts: [
      ...hostNames(options.value("--allowed-hosts")),
      ...(externalUrl === undefined ? [] : [new URL(externalUrl).hostname]),
    ],
    limits: {
      ...{ maxBodyBytes: 4 * 1024 * 1024, maxConnections: 8192, maxConcurrentSubmissions, drainMs: 10_000 },
      userRate: read("--user-rate", positiveNumber, "a number from 1 on"),
      userConcurrent: read("--user-concurrent", positiveNumber, "a number from 1 on"),
    },
    logs: read("--log-dir", logLocation, "DIR, s3a://BUCKET/DIR, hdfs://HOST/DIR; mount a claim as a directory"),
    retention: {
      keepMs: read("--keep", keepMs, "a duration such as 12h or 7d") ?? conf.keepMs ?? 24 * 60 * 60 * 1000,
      maxEnded: read("--keep-max", numberOf, "a number") ?? 10_000,
    },
  };
  throwIssues(issues);
  return { settings, warnings };
}

function pathOf({ cwd }: Pick<Host, "cwd">, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(cwd, path);
}

function isDefault({ key }: Setting): boolean {
  return key.startsWith("spark.") && !connectionKeys.test(key);
}

/** Returns a parser of options that collects problems. */
function reader(options: GatewayOptions, issues: Issue[]) {
  return <T>(option: ValueOption, parse: (value: string) => T | undefined, allowed: string): T | undefined => {
    const value = options.value(option);
    const parsed = value === undefined ? undefined : parse(value);
    if (value !== undefined && parsed === undefined) issues.push(invalidOption(option, value, allowed));
    return parsed;
  };
}

function authIssue(reason: string): Issue {
  return issue("SUBMIT_ERR_GATEWAY_AUTH", { reason });
}

function historyIssue(reason: string): Issue {
  return issue("SUBMIT_ERR_GATEWAY_HISTORY_SERVER", { reason });
}

function rejectedSettings(
  { cwd, files }: Pick<Host, "cwd" | "files">,
  options: GatewayOptions,
  issues: Issue[],
): readonly string[] {
  const option = "--rejected-settings";
  const path = options.value(option);
  if (path === undefined) return [];
  const text = files.info(resolve(cwd, path))?.kind === "file" ? files.readText(resolve(cwd, path)) : undefined;
  if (text === undefined) issues.push(invalidOption(option, path, "a file"));
  const lines = (text ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

function confPort(text: string | undefined, issues: Issue[]): number {
  const port = text === undefined ? defaultPort : parsePort(text);
  const option = "livy.server.port";
  if (port === undefined) issues.push(invalidOption(option, text ?? "", portRange));
  return port ?? defaultPort;
}

function numberOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function positiveNumber(text: string): number | undefined {
  const number = numberOf(text);
  return number === 0 ? undefined : number;
}

function hostNames(text = ""): readonly string[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "");
}

function keepMs(text: string): number | undefined {
  const duration = parseDuration(text, "s");
  return duration.ok && duration.value >= 0 ? duration.value * 1000 : undefined;
}

function logLocation(text: string): LogLocation | undefined {
  const location = parseArchiveLocation(text);
  return location?.kind === "claim" ? undefined : location;
}

function oneOf<T extends string>(...allowed: readonly T[]): (text: string) => T | undefined {
  return (text) => allowed.find((value) => value === text);
}
