import { messageOf } from "../errors/message-of.ts";
import type { Files } from "../host/host.ts";
import type { LocalizeConfig } from "../staging-client/localize-config.ts";

/** Contents of the secret files that a configuration names, by path, without trailing white space. */
export type SecretFiles = ReadonlyMap<string, string>;

/** Reads all secret files of a configuration. Reports each that is missing, empty or unreadable as a problem. */
export function readSecretFiles(
  files: Files,
  { sources }: LocalizeConfig,
): { readonly secrets: SecretFiles; readonly problems: readonly string[] } {
  const secrets = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, source] of sources.entries()) {
    for (const [key, path] of Object.entries(source)) {
      if (!/^(token|secret|authority|urls|key|certificate)File$/.test(key) || typeof path !== "string") continue;
      const text = readSecret(files, path);
      const problem = text instanceof Error ? messageOf(text) : text === "" ? "it is empty" : undefined;
      if (problem !== undefined) problems.push(`sources[${index}].${key} ${path}: ${problem}`);
      else if (typeof text === "string") secrets.set(path, text);
    }
  }
  return { secrets, problems };
}

function readSecret(files: Files, path: string): string | Error {
  try {
    return files.readText(path)?.trimEnd() ?? new Error("it does not exist");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
