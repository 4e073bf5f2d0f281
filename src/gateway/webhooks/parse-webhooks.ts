import { resolve } from "node:path";
import type { Issue } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import { invalidOption } from "../invalid-option.ts";
import { type GatewayState, gatewayStates } from "../model/application.ts";
import { parseKeys } from "./parse-keys.ts";
import type { Webhook } from "./webhook.ts";

/** Webhooks, and everything that is wrong with their settings. */
interface ParsedWebhooks {
  readonly webhooks: readonly Webhook[];
  readonly issues: readonly Issue[];
}

const keyPattern = /^gateway\.webhook\.([A-Za-z0-9_-]{1,63})\.(url|secretFile|secretVariable|states)$/;

/** Returns whether a setting belongs to a webhook. */
export function isWebhookSetting(key: string): boolean {
  return key.startsWith("gateway.webhook.");
}

/**
 * Parses the settings of webhooks, `gateway.webhook.NAME.url`, `.states`, and `.secretFile` or `.secretVariable`, and reads
 * their secrets.
 *
 * Errors: SUBMIT_ERR_ARG_VALUE, without secrets.
 */
export function parseWebhooks(
  host: Pick<Host, "cwd" | "files" | "env">,
  properties: ReadonlyMap<string, string>,
): ParsedWebhooks {
  const issues: Issue[] = [];
  const invalid = (...problem: Parameters<typeof invalidOption>) => issues.push(invalidOption(...problem));
  const names = new Set<string>();
  for (const [key, value] of properties) {
    if (!isWebhookSetting(key)) continue;
    const name = keyPattern.exec(key)?.[1];
    if (name === undefined) invalid(key, value, "only gateway.webhook.NAME.url, secretFile, secretVariable, states");
    else names.add(name);
  }
  const webhooks = [...names].flatMap((name): readonly Webhook[] => {
    const keyOf = (part: string) => `gateway.webhook.${name}.${part}`;
    const url = urlOf(properties.get(keyOf("url")) ?? "");
    if (url === undefined)
      invalid(keyOf("url"), withoutUser(properties.get(keyOf("url")) ?? ""), "an http or https URL without a user");
    const secret = readSecret(host, {
      file: properties.get(keyOf("secretFile")),
      variable: properties.get(keyOf("secretVariable")),
    });
    const keys = secret.text === undefined ? undefined : parseKeys(secret.text);
    if (keys === undefined) invalid(keyOf(secret.setting), secret.source, secretFormat);
    const states = statesOf(properties.get(keyOf("states")));
    if (states === undefined) invalid(keyOf("states"), properties.get(keyOf("states")) ?? "", gatewayStates.join(", "));
    return url === undefined || keys === undefined || states === undefined ? [] : [{ name, url, keys, states }];
  });
  return { webhooks, issues };
}

const secretFormat =
  "a file or variable with whsec_ and 24 to 64 bytes as Base64, for example of: openssl rand -base64 32";

function urlOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}

/** Hides what can be a password. */
function withoutUser(text: string): string {
  return text.replace(/\/\/.*@/, "//...@");
}

interface Secret {
  /** Last part of the key that names the secret. */
  readonly setting: "secretFile" | "secretVariable";
  /** Value of the setting. */
  readonly source: string;
  /** `undefined` if there is none, or two. */
  readonly text: string | undefined;
}

function readSecret(
  { cwd, files, env }: Pick<Host, "cwd" | "files" | "env">,
  { file, variable }: { readonly file: string | undefined; readonly variable: string | undefined },
): Secret {
  if (variable !== undefined)
    return { setting: "secretVariable", source: variable, text: file === undefined ? env[variable] : undefined };
  const path = resolve(cwd, file ?? "");
  const isFile = file !== undefined && files.info(path)?.kind === "file";
  return { setting: "secretFile", source: file ?? "", text: isFile ? files.readText(path) : undefined };
}

function statesOf(text: string | undefined): ReadonlySet<GatewayState> | undefined {
  if (text === undefined) return new Set(gatewayStates);
  const names = text.split(",").map((name) => name.trim());
  const states = gatewayStates.filter((state) => names.includes(state));
  return states.length === names.length ? new Set(states) : undefined;
}
