import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's directory. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Relative paths of the project's files, including new ones. */
export function projectFiles(): readonly string[] {
  const output = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...new Set(output.split("\0").filter(Boolean))].sort();
}

/** A parsed TypeScript file of `src/`. */
export interface Source {
  /** E.g. `src/kube/types.ts`. */
  readonly path: string;
  /** First directory below `src/`; empty for `src/index.ts`. */
  readonly directory: string;
  readonly isTest: boolean;
  /** Code without comments and with empty strings. */
  readonly code: string;
  /** Contents of string literals, and the literal parts of templates. */
  readonly strings: readonly string[];
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Path of the imported file, if the specifier is relative. */
  readonly path: string | undefined;
  /** `import()`, which loads only when it is reached. */
  readonly lazy: boolean;
}

/** All TypeScript files of `src/`. */
export function sources(): readonly Source[] {
  return projectFiles()
    .filter((path) => path.startsWith("src/") && /\.tsx?$/.test(path))
    .flatMap((path) => {
      const text = readIfThere(path);
      return text === undefined ? [] : [sourceOf(path, text)];
    });
}

/** Splits one file. */
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

/** Returns whether a file is a test or test support. */
export function isTestPath(path: string): boolean {
  return /\.test\.ts$|\/test-[^/]+\.ts$/.test(path);
}

/** Text of a project file; `undefined` if it was deleted and the deletion is not committed. */
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
