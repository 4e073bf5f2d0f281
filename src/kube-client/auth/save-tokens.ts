import { dirname, join } from "node:path";
import type { Host } from "../../host/host.ts";
import { type Entry, isMapping, parseYaml } from "./kubeconfig-file.ts";
import type { Refreshed } from "./open-id-issuer.ts";

/** User whose tokens are saved, and the tokens that they replace. */
interface SavedTokens {
  readonly user: Entry;
  readonly old: { readonly refreshToken: string };
  readonly tokens: Refreshed;
}

/**
 * Replaces the old tokens in the kubeconfig, as kubectl does. Renames a complete file over the old one, so that no process
 * reads a partial file. Keeps comments if each old token occurs once. Returns false if the file cannot be written, or
 * already holds other tokens.
 */
export async function saveTokens({ files, random }: Host, { user, old, tokens }: SavedTokens): Promise<boolean> {
  try {
    const path = files.realPath(user.path) ?? user.path;
    const text = files.readText(path);
    const mode = files.info(path)?.mode;
    if (text === undefined || mode === undefined) return false;
    const changed = await changeTokens(text, user, old, tokens);
    if (changed === undefined) return false;
    const temporary = join(dirname(path), `.kubeconfig-${random.uuid()}`);
    try {
      files.write(temporary, changed, { mode });
      files.rename(temporary, path);
    } catch (error) {
      files.remove(temporary);
      throw error;
    }
    return true;
  } catch {
    // The file may belong to another user, or the disk may be read-only. The tokens are valid anyway.
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
    ({ from, to }) => typeof from === "string" && isPlain(from) && isPlain(to) && text.split(from).length === 2,
  );
  if (canReplace) {
    return changes.reduce((rest, { from, to }) => rest.replace(String(from), () => to), text);
  }
  config["id-token"] = tokens.idToken;
  config["refresh-token"] = tokens.refreshToken;
  const { dump } = await import("js-yaml");
  return dump(document);
}

/** Returns whether YAML needs no quotes or escapes for a text. */
function isPlain(text: string): boolean {
  return /^[A-Za-z][\w.~+/-]{15,}$/.test(text);
}

function configOf(document: unknown, name: string): Record<string, unknown> | undefined {
  const users: unknown = isMapping(document) ? document["users"] : undefined;
  const entry = (Array.isArray(users) ? users : []).find((item: unknown) => isMapping(item) && item["name"] === name);
  const user: unknown = isMapping(entry) ? entry["user"] : undefined;
  const provider: unknown = isMapping(user) ? user["auth-provider"] : undefined;
  const config: unknown = isMapping(provider) ? provider["config"] : undefined;
  return isChangeable(config) ? config : undefined;
}

function isChangeable(value: unknown): value is Record<string, unknown> {
  return isMapping(value);
}
