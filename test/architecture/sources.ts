import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Paths of the project's files, new ones included, from its folder on. */
export function projectFiles(): readonly string[] {
  const output = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...new Set(output.split("\0").filter(Boolean))].sort();
}

/** One TypeScript file of `src/`, taken apart. */
export interface Source {
  /** E.g. `src/kube/types.ts`. */
  readonly path: string;
  /** The first folder below `src/`; empty for `src/index.ts`. */
  readonly directory: string;
  readonly isTest: boolean;
  /** Without comments; strings are there, but empty. */
  readonly code: string;
  /** Contents of string literals, and the literal parts of templates. */
  readonly strings: readonly string[];
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** For relative ones: the path of the imported file. */
  readonly path: string | undefined;
  /** `import()`, which loads only when it is reached. */
  readonly lazy: boolean;
}

/** All TypeScript files of `src/`. */
export function sources(): readonly Source[] {
  return projectFiles()
    .filter((path) => path.startsWith("src/") && path.endsWith(".ts"))
    .flatMap((path) => {
      const text = readIfThere(path);
      return text === undefined ? [] : [sourceOf(path, text)];
    });
}

/** Takes one file apart. */
export function sourceOf(path: string, text: string): Source {
  const { code, strings, marked } = takeApart(text);
  const imports = [...marked.matchAll(/(\bfrom|\bimport|\bimport\s*\()\s*"(\d+)"/g)].map((match): Import => {
    const specifier = strings[Number(match[2])] ?? "";
    const relative = specifier.startsWith(".");
    return {
      specifier,
      path: relative ? posix.join(posix.dirname(path), specifier) : undefined,
      lazy: match[1]?.endsWith("(") ?? false,
    };
  });
  const [, directory = ""] = /^src\/([^/]+)\//.exec(path) ?? [];
  return { path, directory, isTest: isTestPath(path), code, strings, imports };
}

/** Tests, and what exists for tests alone. */
export function isTestPath(path: string): boolean {
  return /\.test\.ts$|\/test-[^/]+\.ts$/.test(path);
}

/** The text of a project file; `undefined` when it was deleted but not yet committed so. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

const token =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<regex>(?<=(?:[(,=:[!&|?{};+\-*%<>]|^|\breturn|\bcase)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)|(?<template>`)|(?<brace>[{}])/gm;

/** `marked` is `code` in which each string literal holds its number in `strings`. */
function takeApart(text: string): { code: string; strings: string[]; marked: string } {
  const strings: string[] = [];
  const depths: number[] = [];
  let depth = 0;
  let marked = "";
  let position = 0;
  const matcher = new RegExp(token.source, "gm");
  const keep = (content: string) => {
    strings.push(content);
    marked += `"${strings.length - 1}"`;
  };
  for (let match = matcher.exec(text); match !== null; match = matcher.exec(text)) {
    marked += text.slice(position, match.index);
    position = matcher.lastIndex;
    const { string, regex, template, brace } = match.groups ?? {};
    if (string !== undefined) keep(string.slice(1, -1));
    else if (regex !== undefined) marked += "/./";
    else if (template !== undefined || (brace === "}" && depths.at(-1) === depth)) {
      if (template === undefined) depths.pop();
      const from = template === undefined ? position : match.index + 1;
      const part = templatePart(text, from);
      keep(part.content);
      position = part.end;
      matcher.lastIndex = part.end;
      if (part.opens) depths.push(depth);
    } else if (brace !== undefined) {
      depth += brace === "{" ? 1 : -1;
      marked += brace;
    }
  }
  marked += text.slice(position);
  return { code: marked.replace(/"\d+"/g, '""'), strings, marked };
}

/** The literal text of a template from `from` on, up to its end or to `${`. */
function templatePart(text: string, from: number): { content: string; end: number; opens: boolean } {
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === "`") return { content: text.slice(from, index), end: index + 1, opens: false };
    else if (text.startsWith("${", index)) {
      return { content: text.slice(from, index), end: index + 2, opens: true };
    }
  }
  throw new Error("unfinished template");
}
