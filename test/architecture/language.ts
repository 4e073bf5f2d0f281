import { basename } from "node:path";
import { parseSync } from "rolldown/utils";
import { projectFiles, readIfThere } from "./sources.ts";

/** One entry of `words-to-avoid.json`. */
export interface WordToAvoid {
  /** Source of a regular expression for text in lower case; flag `u`. */
  readonly regex: string;
  readonly scope: "identifier" | "prose" | "both";
  readonly instead: string;
  /** Patterns of legitimate uses, matched within 30 characters on either side of a hit. @default none */
  readonly allow?: readonly string[];
  /** Highest permitted counts. A change may only lower them. */
  readonly max: { readonly identifier: number; readonly prose: number };
}

/** Text to search, with the place to report. */
export interface Passage {
  readonly path: string;
  readonly line: number;
  /** In lower case: a search that ignores case takes thirty times as long. */
  readonly text: string;
}

/** The declared names and the prose of the project. */
export interface Language {
  readonly identifiers: readonly Passage[];
  readonly prose: readonly Passage[];
}

/** Reads all names and prose of the project, except recorded data and texts that Spark defines. */
export function readLanguage(): Language {
  const identifiers: Passage[] = [];
  const prose: Passage[] = [];
  for (const path of projectFiles().filter((file) => !excluded.test(file))) {
    const text = readIfThere(path);
    if (text === undefined) continue;
    if (/^(src|test|scripts)\/.*\.(tsx?|mjs|cjs)$/.test(path)) {
      const code = codeLanguage(path, text);
      identifiers.push(...code.identifiers);
      prose.push(...code.prose);
    } else if (/^(README|CHANGELOG|CONTRIBUTING)\.md$|^(docs|changes|examples|images)\//.test(path)) {
      const lines = text.toLowerCase().split("\n");
      prose.push(...lines.map((line, index) => ({ path, line: index + 1, text: line })));
    }
  }
  return { identifiers: [...pathNames(), ...identifiers], prose };
}

/** Hits of one entry. */
export function hitsOf(word: WordToAvoid, passages: readonly Passage[]): readonly Passage[] {
  const regex = new RegExp(word.regex, "gu");
  // Most passages have no hit, and a search is several times faster than an iterator.
  const candidates = passages.filter(({ text }) => text.search(regex) >= 0);
  const allow = (word.allow ?? []).map((pattern) => new RegExp(pattern, "iu"));
  return candidates.flatMap((passage) =>
    [...passage.text.matchAll(regex)]
      .filter(({ index, 0: hit }) => {
        const around = passage.text.slice(Math.max(0, index - 30), index + hit.length + 30);
        return !allow.some((pattern) => pattern.test(around));
      })
      .map(({ index, 0: hit }) => ({
        path: passage.path,
        line: passage.line + passage.text.slice(0, index).split("\n").length - 1,
        text: hit,
      })),
  );
}

/** Splits a name at case changes and hyphens: `printLauncherError` and `tell-as-launcher` are `tell as launcher`. */
export function splitName(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replaceAll(/[-_.]+/g, " ")
    .toLowerCase()
    .trim();
}

/** Recorded data, and the word list itself. */
const excluded =
  /^test\/golden\/(recorded|executors)\/|^test\/architecture\/(words-to-avoid\.json|language[.\w]*\.ts)$|package-lock\.json$/;

/** File and directory names below `src`, `test` and `scripts`, each once. */
function pathNames(): readonly Passage[] {
  const names = new Map<string, string>();
  for (const path of projectFiles().filter((file) => /^(src|test|scripts)\//.test(file))) {
    if (excluded.test(path) || readIfThere(path) === undefined) continue;
    const parts = path.split("/");
    for (const [index, part] of parts.entries()) {
      names.set(parts.slice(0, index + 1).join("/"), index + 1 < parts.length ? part : basename(part));
    }
  }
  return [...names].map(([path, name]) => ({
    path,
    line: 1,
    text: splitName(name.replace(/(\.test)?\.\w+$/, "")),
  }));
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function codeLanguage(path: string, text: string): Language {
  const { program, comments } = parseSync(path.replace(/\.[mc]js$/, ".js"), text, {
    sourceType: path.endsWith(".cjs") ? "script" : "module",
    lang: path.endsWith(".tsx") ? "tsx" : "ts",
  });
  const lineAt = lineCounter(text);
  const identifiers: Passage[] = [];
  const prose: Passage[] = comments.map((comment) => ({
    path,
    line: lineAt(comment.start),
    text: text.slice(comment.start, comment.end).toLowerCase(),
  }));
  const declare = (node: unknown) => {
    for (const { name, start } of declaredNames(node))
      identifiers.push({ path, line: lineAt(start), text: splitName(name) });
  };
  walk(program, (node) => {
    for (const name of declarations(node)) declare(name);
    const string = proseOf(node);
    if (string !== undefined) prose.push({ path, line: lineAt(node.start), text: string.toLowerCase() });
    return !isSparkWording(node);
  });
  return { identifiers, prose };
}

/** Returns a function that turns an offset into its line, from 1 on. */
function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? offset) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function walk(value: unknown, visit: (node: AstNode) => boolean): void {
  if (Array.isArray(value)) for (const entry of value) walk(entry, visit);
  if (!isNode(value) || !visit(value)) return;
  for (const member of Object.values(value)) if (typeof member === "object") walk(member, visit);
}

/** The parts of a node that declare a name. */
function declarations(node: AstNode): readonly unknown[] {
  const { type } = node;
  if (type === "VariableDeclarator" || type.startsWith("TSInterfaceDecl") || type.startsWith("TSTypeAlias"))
    return [node["id"]];
  if (type === "ClassDeclaration") return [node["id"]];
  if (/Function/.test(type)) return [node["id"], node["params"]];
  if (type === "TSMethodSignature") return [node["key"], node["params"]];
  if (/^(Property|PropertyDefinition|MethodDefinition|TSPropertySignature)$/.test(type))
    return node["computed"] === true ? [] : [node["key"]];
  return [];
}

/** The names that a binding pattern or a key introduces. */
function declaredNames(node: unknown): readonly { name: string; start: number }[] {
  if (Array.isArray(node)) return node.flatMap(declaredNames);
  if (!isNode(node)) return [];
  if (node.type === "Identifier")
    return typeof node["name"] === "string" ? [{ name: node["name"], start: node.start }] : [];
  if (node.type === "ObjectPattern") return declaredNames(node["properties"]);
  if (node.type === "Property") return declaredNames(node["value"]);
  if (node.type === "ArrayPattern") return declaredNames(node["elements"]);
  if (node.type === "AssignmentPattern") return declaredNames(node["left"]);
  if (node.type === "RestElement") return declaredNames(node["argument"]);
  if (node.type === "TSParameterProperty") return declaredNames(node["parameter"]);
  return [];
}

function proseOf(node: AstNode): string | undefined {
  const value = node.type === "Literal" || node.type === "JSXText" ? node["value"] : undefined;
  const raw = node.type === "TemplateElement" ? node["value"] : undefined;
  const text = isRawText(raw) ? raw.raw : value;
  return typeof text === "string" && text.includes(" ") ? text : undefined;
}

function isRawText(value: unknown): value is { readonly raw: string } {
  return typeof value === "object" && value !== null && "raw" in value && typeof value.raw === "string";
}

/** An object literal whose text Spark defines: `{…, wording: "spark"}`. */
function isSparkWording(node: AstNode): boolean {
  const properties = node.type === "ObjectExpression" ? node["properties"] : undefined;
  return (
    Array.isArray(properties) &&
    properties.some((property) => {
      if (!isNode(property) || property.type !== "Property") return false;
      const { key, value } = property;
      return isNode(key) && key["name"] === "wording" && isNode(value) && value["value"] === "spark";
    })
  );
}
