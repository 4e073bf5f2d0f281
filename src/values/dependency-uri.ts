import { javaTrim } from "./java-trim.ts";
import { escapeFragment, parseUri, printFileUri } from "./uri.ts";

/** What of the submitter's machine decides how a name becomes a URI. */
export interface PathContext {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The path without links and dots, and whether it is a directory; `undefined` where nothing is. @default nothing is anywhere */
  readonly inspect?: (
    absolutePath: string,
  ) => { readonly path: string; readonly isDirectory: boolean } | undefined;
}

/**
 * Where a dependency is: in the image (`local:`), on the submitter's machine (`file:` or no scheme), or elsewhere.
 *
 * `path` of a submitter-local one is decoded, as the file system knows it.
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

/** The resource of an application that has none, e.g. of a shell. Never resolved. */
export const internalResource = "spark-internal";

/**
 * Makes an absolute URI of what a user wrote: `app.py` becomes `file:/work/app.py`, `s3a://b/k` stays.
 *
 * Source: Spark Utils.resolveURI; tried against 4.3.0.
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

/** Resolves each item of a comma-separated list; items are not trimmed, blank ones are dropped. Source: Spark Utils.resolveURIs. */
export function resolveUris(text: string, context: PathContext): string {
  return text
    .split(",")
    .filter((item) => javaTrim(item) !== "")
    .map((item) => resolveUri(item, context))
    .join(",");
}

/** Tells where a resolved URI points. Schemes are compared exactly, as Spark does. */
export function parseDependencyUri(text: string): DependencyUri {
  const uri = parseUri(text);
  const fragment = uri?.fragment;
  if (text.startsWith("local:")) return { kind: "containerLocal", text, fragment };
  if (uri?.scheme === undefined || uri.scheme === "file") {
    return { kind: "submitterLocal", text, path: uri?.path ?? text.replace(/^file:/, ""), fragment };
  }
  return { kind: "remote", text, scheme: uri.scheme, fragment };
}

/** An absolute path without empty segments. */
function absolute(path: string, cwd: string): string {
  const joined = path.startsWith("/") ? path : `${cwd}/${path}`;
  return `/${joined
    .split("/")
    .filter((segment) => segment !== "")
    .join("/")}`;
}

/** Resolves `.` and `..` by text alone. */
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
