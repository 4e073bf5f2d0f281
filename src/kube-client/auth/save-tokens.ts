import { dirname, join } from "node:path";
import type { Host } from "../../host/host.ts";
import { type Entry, isMapping, parseYaml } from "./kubeconfig-file.ts";
import type { Refreshed } from "./open-id-issuer.ts";

/** User whose tokens are saved, and the tokens that they replace. */
export interface SavedTokens {
  readonly user: Entry;
  readonly old: { readonly refreshToken: string };
  readonly tokens: Refreshed;
}

/**
 * Writes new tokens into the kubeconfig that the old ones stand in, as kubectl does. The file is replaced as a whole, so
 * nobody reads half of it, and comments stay where the old tokens stand there once. False when it cannot be written, or
 * holds other tokens by now.
 */
export async function saveTokens(
  { files, random }: Host,
  { user, old, tokens }: SavedTokens,
): Promise<boolean> {
  try {
    const path = files.realPath(user.path) ?? user.path;
    const text = files.readText(path);
    const mode = files.info(path)?.mode;
    if (text === undefined || mode === undefined) return false;
    const changed = await changeTokens(text, user, old, tokens);
    if (changed === undefined) return false;
    const beside = join(dirname(path), `.kubeconfig-${random.uuid()}`);
    try {
      files.write(beside, changed, { mode });
      files.rename(beside, path);
    } catch (error) {
      files.remove(beside);
      throw error;
    }
    return true;
  } catch {
    // A file of others, a read-only disk: the tokens are good nevertheless.
    return false;
  }
}

async function changeTokens(
  text: string,
  user: Entry,
  old: SavedTokens["old"],
  tokens: Refreshed,
): Promise<string | undefined> {
  const document = await parseYaml(user.path, text, "typed");
  const config = configOf(document, user.name);
  if (config === undefined || config["refresh-token"] !== old.refreshToken) return undefined;
  const before = config["id-token"];
  const changes = [
    { from: before, to: tokens.idToken },
    { from: old.refreshToken, to: tokens.refreshToken },
  ].filter(({ from, to }) => from !== to);
  const canReplace = changes.every(
    ({ from, to }) =>
      typeof from === "string" && isPlain(from) && isPlain(to) && text.split(from).length === 2,
  );
  if (canReplace) {
    return changes.reduce((rest, { from, to }) => rest.replace(String(from), () => to), text);
  }
  config["id-token"] = tokens.idToken;
  config["refresh-token"] = tokens.refreshToken;
  const { dump } = await import("js-yaml");
  return dump(document);
}

/** Text that YAML takes as it stands, with or without quotes. */
function isPlain(text: string): boolean {
  return /^[A-Za-z][\w.~+/-]{15,}$/.test(text);
}

function configOf(document: unknown, name: string): Record<string, unknown> | undefined {
  const users: unknown = isMapping(document) ? document["users"] : undefined;
  const entry = (Array.isArray(users) ? users : []).find(
    (item: unknown) => isMapping(item) && item["name"] === name,
  );
  const user: unknown = isMapping(entry) ? entry["user"] : undefined;
  const provider: unknown = isMapping(user) ? user["auth-provider"] : undefined;
  const config: unknown = isMapping(provider) ? provider["config"] : undefined;
  return isChangeable(config) ? config : undefined;
}

function isChangeable(value: unknown): value is Record<string, unknown> {
  return isMapping(value);
}
