import { posix } from "node:path";
import { isWithin } from "../../values/is-within.ts";

/** Settings of the server about files of batches. */
export interface UriRules {
  /** Default file system of paths without a scheme, as `spark.hadoop.fs.defaultFS` in the gateway's settings. */
  readonly defaultFileSystem: string | undefined;
  /** Directories that drivers have under the same path, for example as a mount: their `file:` URIs are accepted. */
  readonly localDirectories: readonly string[];
}

/** A URI for Spark, or why a client must not use it. */
export type ResolvedUri = { readonly ok: true; readonly uri: string } | { readonly ok: false; readonly reason: string };

/** Scheme of Hadoop's default file system without configuration. */
const localScheme = "file";

/**
 * Resolves a path or URI of a request. A path without a scheme belongs to the default file system. A `file:` URI would name a file of this
 * server, so it must be in an allowed directory; then it becomes a `local:` URI, a file of the driver.
 *
 * Source: Livy 0.9.0, recorded messages.
 */
export function resolveBatchUri(text: string, { defaultFileSystem, localDirectories }: UriRules): ResolvedUri {
  const [, scheme, rest = text] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (/[\s<>"{}|\\^`]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text))
    return rejected(`Invalid URI: ${JSON.stringify(text)} has a character that must be percent-encoded.`);
  if (scheme === undefined && !text.startsWith("/")) return rejected(`Path '${text}' is not absolute.`);
  if (scheme !== undefined && rest.replace(/#.*$/s, "") === "") return rejected(`Invalid URI: '${text}' has no path.`);
  if (scheme === undefined && defaultFileSystem !== undefined && !defaultFileSystem.startsWith(`${localScheme}:`))
    return { ok: true, uri: `${defaultFileSystem.replace(/\/+$/, "")}${text}` };
  if (scheme !== undefined && scheme.toLowerCase() !== localScheme) return { ok: true, uri: text };
  const [, path = "", fragment = ""] = /^(?:\/\/[^/]*)?([^#]*)(#.*)?$/s.exec(rest) ?? [];
  const clean = posix.normalize(path);
  const isAllowed = localDirectories.some((directory) => isWithin(clean, directory));
  if (path.startsWith("/") && isAllowed) return { ok: true, uri: `local://${clean}${fragment}` };
  return rejected(`Local path ${path} cannot be added to user sessions.`);
}

function rejected(reason: string): ResolvedUri {
  return { ok: false, reason };
}
