import { posix } from "node:path";
import { failure, type Result, success } from "../errors/issue.ts";
import type { Files } from "../host/host.ts";
import { type PathContext, resolveUri } from "../values/dependency-uri.ts";
import { parseUri, printFileUri, recomposeUri } from "../values/uri.ts";

/** File system in which patterns are expanded. */
interface GlobContext {
  readonly files: Files;
  readonly paths: PathContext;
}

/**
 * Replaces the `file:` patterns of a comma-separated list of URIs by the files that they match.
 *
 * Shape: `file:/a/*.jar` becomes `file:/a/x.jar,file:/a/y.jar`. Directories and patterns without a match are dropped.
 * A name without a pattern becomes `file:///…` if the file exists, else it is unchanged. Other schemes are unchanged:
 * the driver expands them.
 * Errors: SUBMIT_ERR_GLOB_AMBIGUOUS, SUBMIT_ERR_GLOB_PATTERN, SUBMIT_ERR_URI_SYNTAX,
 * SUBMIT_ERR_FILE_NAME_COLON.
 * Source: Spark DependencyUtils.resolveGlobPaths; Hadoop GlobPattern.
 */
export function expandGlobs(list: string, context: GlobContext): Result<string> {
  const expanded: string[] = [];
  for (const item of list.split(",").map((text) => text.trim())) {
    if (item === "") continue;
    const uris = expandOne(item, context);
    if (!uris.ok) return uris;
    expanded.push(...uris.value);
  }
  return success(expanded.join(","));
}

function expandOne(item: string, { files, paths }: GlobContext): Result<readonly string[]> {
  const resolved = resolveUri(item, paths);
  const uri = parseUri(resolved);
  const { text, path, illegalIndex } = recomposeUri(resolved);
  if (illegalIndex !== undefined) return failure("SUBMIT_ERR_URI_SYNTAX", { uri: text, index: illegalIndex });
  const matches = uri?.scheme === "file" ? findFiles(path, text, files) : success([text]);
  if (!matches.ok || uri?.fragment === undefined) return matches;
  if (matches.value.length > 1) {
    return failure("SUBMIT_ERR_GLOB_AMBIGUOUS", { uri: text, matches: matches.value.join(",") });
  }
  return success(matches.value.map((match) => `${match}#${uri.fragment}`));
}

function findFiles(path: string, text: string, files: Files): Result<readonly string[]> {
  const components = path.split("/").filter((part) => part !== "");
  const patterns: Pattern[] = [];
  for (const component of components) {
    const pattern = parsePattern(component);
    if (!pattern.ok) return pattern;
    const reason = typeof pattern.value === "string" ? schemeProblem(pattern.value) : undefined;
    if (reason !== undefined) return failure("SUBMIT_ERR_FILE_NAME_COLON", { name: component, reason });
    patterns.push(pattern.value);
  }
  if (patterns.every((pattern) => typeof pattern === "string")) {
    const plain = posix.normalize(`/${patterns.join("/")}`);
    const info = files.info(plain);
    if (info === undefined) return success([text]);
    return success(info.kind === "file" ? [printFoundUri(plain)] : []);
  }
  const found = patterns.reduce<readonly string[]>(
    (directories, pattern) => directories.flatMap((directory) => membersOf(directory, pattern, files)),
    [""],
  );
  // Hadoop prints listed files with one slash, and a file that it looked up by name with three.
  const print = typeof patterns.at(-1) === "string" ? printFoundUri : printFileUri;
  return success(found.filter((member) => files.info(member)?.kind === "file").map(print));
}

function printFoundUri(path: string): string {
  return printFileUri(path).replace("file:", "file://");
}

/**
 * Returns Java's message for a name with a colon: Hadoop parses the text before it as a scheme, even within a path.
 *
 * Source: Hadoop Path, java.net.URI.
 */
function schemeProblem(name: string): string | undefined {
  const colon = name.indexOf(":");
  if (colon === -1) return undefined;
  if (colon < name.length - 1) return "Relative path in absolute URI";
  if (colon === 0) return "Expected scheme name at index 0";
  const legal = /^[A-Za-z][A-Za-z0-9+.-]*/.exec(name)?.[0].length ?? 0;
  if (legal < colon) return `Illegal character in scheme name at index ${legal}`;
  return `Expected scheme-specific part at index ${name.length}`;
}

/** A plain name, or an expression that names must match. */
type Pattern = string | RegExp;

function membersOf(directory: string, pattern: Pattern, files: Files): readonly string[] {
  if (typeof pattern === "string") {
    const member = `${directory}/${pattern}`;
    return files.info(member) === undefined ? [] : [member];
  }
  const names = files.info(`${directory}/`)?.kind === "directory" ? (files.list(`${directory}/`) ?? []) : [];
  return names.filter((name) => pattern.test(name)).map((name) => `${directory}/${name}`);
}

/** Parses one component of a path: `*` matches any text, a backslash escapes the next character, braces group. */
function parsePattern(component: string): Result<Pattern> {
  let expression = "";
  let plain = "";
  let open = 0;
  let isPattern = false;
  for (let index = 0; index < component.length; index += 1) {
    const character = component[index] ?? "";
    if (character === "*") {
      expression += ".*";
      isPattern = true;
    } else if (character === "{") {
      expression += "(?:";
      open += 1;
      isPattern = true;
    } else if (character === "}" && open > 0) {
      expression += ")";
      open -= 1;
    } else {
      const isEscape = character === "\\" && index + 1 < component.length;
      if (isEscape) index += 1;
      const literal = component[index] ?? "";
      expression += literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      plain += literal;
    }
  }
  if (open > 0) {
    return failure("SUBMIT_ERR_GLOB_PATTERN", { pattern: component, index: component.length });
  }
  return success(isPattern ? new RegExp(`^${expression}$`, "s") : plain);
}
