import { createRequire, isBuiltin } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Finds the file of a JavaScript module: a path or else a package, resolved from a directory.
 *
 * @throws Node's error if neither exists
 */
export function findModule(directory: string, specifier: string): URL {
  return pathToFileURL(findFile(directory, specifier));
}

function findFile(directory: string, specifier: string): string {
  const require = createRequire(join(directory, "noname.js"));
  try {
    return require.resolve(resolve(directory, specifier));
  } catch (error) {
    if (isAbsolute(specifier) || specifier.startsWith(".") || isBuiltin(specifier)) throw error;
  }
  try {
    return require.resolve(specifier);
  } catch (error) {
    const found = codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? onlyForImport(require, specifier) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** Finds an ESM-only export, which `require.resolve` does not find. */
function onlyForImport(require: NodeJS.Require, specifier: string): string | undefined {
  const [, name = "", rest = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  for (const directory of require.resolve.paths(specifier) ?? []) {
    const root = join(directory, name);
    const target = targetOf(manifestIn(require, root), `.${rest}`);
    if (target !== undefined) return join(root, target);
  }
  return undefined;
}

function manifestIn(require: NodeJS.Require, root: string): unknown {
  try {
    return require(join(root, "package.json"));
  } catch {
    return undefined;
  }
}

/** Resolves a subpath of `exports`, without patterns. Source: Node's documentation, "Conditional exports". */
function targetOf(manifest: unknown, subpath: string): string | undefined {
  const exports = fieldOf(manifest, "exports");
  const isMainExport = subpath === "." && fieldOf(exports, ".") === undefined;
  return chosen(isMainExport ? exports : fieldOf(exports, subpath));
}

function chosen(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  for (const condition of ["node", "import", "default"]) {
    const found = fieldOf(target, condition);
    if (found !== undefined) return chosen(found);
  }
  return undefined;
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === field)?.[1]
    : undefined;
}

function codeOf(error: unknown): unknown {
  return fieldOf(error, "code") ?? (error instanceof Error && "code" in error ? error.code : undefined);
}
