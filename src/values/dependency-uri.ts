import { javaTrim } from "./java-trim.ts";
import { escapeFragment, parseUri, printFileUri } from "./uri.ts";

/** Facts about the submitter's machine for resolving a name to a URI. */
export interface PathContext {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** Returns the path without links and dots, and whether it is a directory; `undefined` if it does not exist. @default no path exists */
  readonly inspect?: (absolutePath: string) => { readonly path: string; readonly isDirectory: boolean } | undefined;
}

/**
 * Location of a dependency: in the image (`local:`), on the submitter's machine (`file:` or no scheme), or remote.
 *
 * `path` of a submitter-local dependency is decoded.
 */
export type DependencyUri =
  | { readonly kind: "containerLocal"; readonly text: string; readonly fragment: string | undefined }
  | {
      readonly kind: "submitterLocal";
      readonly text: string;
      readonly path: string;
      readonly fragment: string | undefined;
    }
  | {
      readonly kind: "remote";
      readonly text: string;
      readonly scheme: string;
      readonly fragment: string | undefined;
    };

/** Placeholder for the primary resource of an application without one, e.g. a shell. It is never resolved. */
export const internalResource = "spark-internal";

/**
 * Resolves a user's text to an absolute URI: `app.py` becomes `file:/work/app.py`, `s3a://b/k` is kept.
 *
 * Source: Spark Utils.resolveURI; compared with 4.3.0.
 */
export function resolveUri(text: string, context: PathContext): string {
  const uri = parseUri(text);
  if (uri?.scheme !== undefined) return text;
  if (uri?.fragment !== undefined && uri.path !== undefined) {
    // Spark makes this path absolute without resolving its dots and links.
    const path = absolute(uri.path, context.cwd);
    const isDirectory = context.inspect?.(path)?.isDirectory ?? false;
    return `${printFileUri(asDirectory(path, isDirectory))}#${escapeFragment(uri.fragment)}`;
  }
  const path = absolute(text, context.cwd);
  const normal = normalize(path);
  const found = context.inspect?.(path) ?? context.inspect?.(normal);
  return printFileUri(asDirectory(found?.path ?? normal, found?.isDirectory ?? false));
}

/** Resolves the items of a comma-separated list. Items are not trimmed; blank items are dropped. Source: Spark Utils.resolveURIs. */
export function resolveUris(text: string, context: PathContext): string {
  return text
    .split(",")
    .filter((item) => javaTrim(item) !== "")
    .map((item) => resolveUri(item, context))
    .join(",");
}

/** Parses a resolved URI. Schemes are case-sensitive, as in Spark. */
export function parseDependencyUri(text: string): DependencyUri {
  const uri = parseUri(text);
  const fragment = uri?.fragment;
  if (text.startsWith("local:")) return { kind: "containerLocal", text, fragment };
  if (uri?.scheme === undefined || uri.scheme === "file") {
    return { kind: "submitterLocal", text, path: uri?.path ?? text.replace(/^file:/, ""), fragment };
  }
  return { kind: "remote", text, scheme: uri.scheme, fragment };
}

/** Makes a path absolute and removes empty segments. */
function absolute(path: string, cwd: string): string {
  const joined = path.startsWith("/") ? path : `${cwd}/${path}`;
  return `/${joined
    .split("/")
    .filter((segment) => segment !== "")
    .join("/")}`;
}

/** Resolves `.` and `..` without the file system. */
function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of path.slice(1).split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

function asDirectory(path: string, isDirectory: boolean): string {
  return isDirectory && path !== "/" ? `${path}/` : path;
}
