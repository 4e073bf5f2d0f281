import { type Issue, issue } from "../../errors/issue.ts";
import { parseDuration } from "../../values/duration.ts";
import type { LivyAccess } from "../settings.ts";

/** Settings of a livy.conf that the gateway has, too. */
export interface LivyConf {
  readonly port?: string;
  readonly address?: string;
  readonly isCsrfProtected: boolean;
  readonly isImpersonating: boolean;
  readonly superusers: readonly string[];
  readonly access?: LivyAccess;
  readonly localDirectories: readonly string[];
  readonly uiBasePath: string;
  readonly historyServer?: string;
  readonly keepMs?: number;
  readonly maxCreations?: number;
  /** Whether the file configures an authentication that the gateway does not have. */
  readonly authenticationType?: string;
}

interface ParsedLivyConf {
  readonly conf: LivyConf;
  readonly issues: readonly Issue[];
  /** Sentences about keys that change nothing. */
  readonly warnings: readonly string[];
}

/** Keys that Livy had before 0.4, with the present ones. */
const formerKeys = new Map([
  ["livy.server.csrf_protection.enabled", "livy.server.csrf-protection.enabled"],
  ["livy.server.access_control.enabled", "livy.server.access-control.enabled"],
  ["livy.server.access_control.users", "livy.server.access-control.allowed-users"],
]);

/** Keys of what a gateway does not need: it has no interactive sessions, keeps its state in the cluster, and starts no spark-submit. */
const needless =
  /^livy\.(spark|repl|rsc|environment|session|server\.(spark-home|session\.timeout|heartbeat|recovery|ha|zookeeper|zk|yarn|thrift|request|response|kubernetes\.app))\b|^livy\.(cache-log\.size|ui\.enabled|hadoop\.)/;
/** Keys of what only Livy has. */
const unsupported = /^livy\.(keystore|key-password|file|server\.(auth|launch|kubernetes))\b/;

/**
 * Parses the keys of a livy.conf. Values are those of Livy 0.9.0.
 *
 * Errors: SUBMIT_ERR_ARG_VALUE, every problem.
 */
export function parseLivyConf(entries: ReadonlyMap<string, string>): ParsedLivyConf {
  const values = new Map([...entries].map(([key, value]) => [formerKeys.get(key) ?? key, value.trim()]));
  const issues: Issue[] = [];
  const text = (key: string) => {
    const value = values.get(key);
    values.delete(key);
    return value === "" ? undefined : value;
  };
  const list = (key: string) => text(key)?.split(/[, ]+/) ?? [];
  const parsed = <T>(key: string, parse: (value: string) => T | undefined, allowed: string) => {
    const value = text(key);
    const found = value === undefined ? undefined : parse(value);
    if (value !== undefined && found === undefined)
      issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option: key, value, allowed }));
    return found;
  };
  const flag = (key: string) => parsed(key, (value) => booleans.get(value.toLowerCase()), "true or false") ?? false;
  const [port, address, historyServer] = [
    text("livy.server.port"),
    text("livy.server.host"),
    text("livy.ui.history-server-url"),
  ];
  const authenticationType = text("livy.server.auth.type");
  const isAccessControlled = flag("livy.server.access-control.enabled");
  const allowedUsers = text("livy.server.access-control.allowed-users")?.split(/[, ]+/) ?? ["*"];
  const access: LivyAccess = {
    modifyUsers: list("livy.server.access-control.modify-users"),
    viewUsers: list("livy.server.access-control.view-users"),
    allowedUsers,
  };
  const keepMs = parsed("livy.server.session.state-retain.sec", retainMs, "a duration such as 600s or 1d");
  const maxCreations = parsed("livy.server.session.max-creation", positiveInteger, "a number from 1 on");
  const directories = parsed(
    "livy.file.local-dir-whitelist",
    (value) => absolutePaths(value.split(/[, ]+/)),
    "a list of absolute paths",
  );
  const conf: LivyConf = {
    ...{
      isCsrfProtected: flag("livy.server.csrf-protection.enabled"),
      isImpersonating: flag("livy.impersonation.enabled"),
    },
    ...{ superusers: list("livy.superusers"), localDirectories: directories ?? [] },
    uiBasePath: (text("livy.ui.basePath") ?? "").replace(/\/+$/, ""),
    ...(port !== undefined && { port }),
    ...(address !== undefined && { address }),
    ...(historyServer !== undefined && { historyServer }),
    ...(isAccessControlled && { access }),
    ...(keepMs !== undefined && { keepMs }),
    ...(maxCreations !== undefined && { maxCreations }),
    ...(authenticationType !== undefined && { authenticationType }),
  };
  return { conf, issues, warnings: [...values.keys()].map(warningOf) };
}

function warningOf(key: string): string {
  if (unsupported.test(key)) return `${key} is not supported: it changes nothing.`;
  if (needless.test(key)) return `${key} changes nothing: the gateway does not need it.`;
  return `${key} is not known: it changes nothing.`;
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/** Parses a time whose unit is seconds, if it names none. */
function retainMs(value: string): number | undefined {
  const seconds = parseDuration(value, "s");
  return seconds.ok && seconds.value >= 0 ? seconds.value * 1000 : undefined;
}

function positiveInteger(value: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined;
}

function absolutePaths(paths: readonly string[]): readonly string[] | undefined {
  const cleaned = paths.filter((path) => path !== "").map((path) => path.replace(/(?<=.)\/+$/, ""));
  return cleaned.every((path) => path.startsWith("/")) ? cleaned : undefined;
}
