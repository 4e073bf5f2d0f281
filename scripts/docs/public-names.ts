import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

/** A documented name: an export of the library, or a member of a class or interface. */
export interface DocumentedName {
  readonly name: string;
  readonly kind: "class" | "function" | "interface" | "type" | "constant" | "member";
  /** Text before the tags, one line per paragraph. */
  readonly text: string;
  /** Text of `@throws`. */
  readonly throws: string | undefined;
  /** TypeScript code of `@example`. */
  readonly example: string | undefined;
  /** Declaration without body and without documentation of members that are listed. */
  readonly declaration: string;
  /** Members, if any of them has an example of its own. */
  readonly members: readonly DocumentedName[];
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Reads all names that `src/index.ts` exports, sorted. @throws Error for a name without a declaration */
export function publicNames(): readonly DocumentedName[] {
  const index = readFileSync(join(root, "src/index.ts"), "utf8");
  const found = [...index.matchAll(/export (?:type )?\{([^}]*)\} from "\.\/([^"]+)"/g)].flatMap(
    ([, names = "", path = ""]) => {
      const text = readFileSync(join(root, "src", path), "utf8");
      const declarations = declarationsOf(text);
      return names
        .split(",")
        .map((name) => name.replace("type ", "").trim())
        .filter((name) => name !== "")
        .map((name) => read(name, declarations.get(name), text));
    },
  );
  return found.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Returns the exported declarations of a module by name. */
function declarationsOf(text: string): ReadonlyMap<string, Node> {
  // Of overloads, the first is documented, and replaces the others here.
  const statements = nodesOf(parseAst(text, { lang: "ts" }), "body").toReversed();
  return new Map(
    statements.flatMap((statement) => {
      const declaration = nodeOf(statement, "declaration");
      if (statement.type !== "ExportNamedDeclaration" || declaration === undefined) return [];
      const [declarator] = nodesOf(declaration, "declarations");
      const id = nodeOf(declaration, "id") ?? (declarator && nodeOf(declarator, "id"));
      const name = id?.["name"];
      return typeof name === "string" ? [[name, statement] as const] : [];
    }),
  );
}

const kinds: Readonly<Record<string, DocumentedName["kind"]>> = {
  ClassDeclaration: "class",
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
  VariableDeclaration: "constant",
};

function read(name: string, statement: Node | undefined, text: string): DocumentedName {
  const declaration = statement && nodeOf(statement, "declaration");
  const kind = kinds[declaration?.type ?? ""];
  if (declaration === undefined || kind === undefined) throw new Error(`${name} has no declaration.`);
  const body = nodeOf(declaration, "body");
  const members = (body === undefined ? [] : nodesOf(body, "body")).flatMap((node) => member(node, text));
  const listed = members.some(({ example }) => example !== undefined) ? members : [];
  const end = kind === "class" || kind === "function" ? (body?.start ?? declaration.end) : declaration.end;
  const isShort = kind === "class" || listed.length > 0;
  const shown = text.slice(declaration.start, isShort ? (body?.start ?? end) : end).trimEnd();
  return {
    ...documentation(text, statement?.start ?? 0),
    name,
    kind,
    declaration: withoutInitializer(shown, kind),
    members: listed,
  };
}

/** Lists the value of a constant only if it is short. */
function withoutInitializer(text: string, kind: DocumentedName["kind"]): string {
  return kind === "constant" && text.includes("\n") ? text.replace(/ =[\s\S]*$/, ";") : text;
}

function member(node: Node, text: string): readonly DocumentedName[] {
  const key = nodeOf(node, "key");
  const isPrivate = key?.type === "PrivateIdentifier";
  if (key === undefined || isPrivate) return [];
  const name = text.slice(key.start, key.end);
  const value = nodeOf(node, "value");
  const body = value && nodeOf(value, "body");
  const end = node.type === "MethodDefinition" ? (body?.start ?? node.end) : node.end;
  const written = text.slice(node.start, end).trimEnd();
  const declaration = written.replace(/^async \*?/, "").replaceAll("\n  ", "\n");
  return [{ ...documentation(text, node.start), name, kind: "member", declaration, members: [] }];
}

type Documentation = Pick<DocumentedName, "text" | "throws" | "example">;

/** Reads the documentation comment that ends before a position. */
function documentation(text: string, position: number): Documentation {
  const before = text.slice(0, position).trimEnd();
  if (!before.endsWith("*/")) return { text: "", throws: undefined, example: undefined };
  const comment = before.slice(before.lastIndexOf("/**") + 3, -2);
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const content = lines.join("\n").trim();
  const example = /@example\n```ts\n([\s\S]*?)\n```/.exec(content)?.[1];
  const throws = /@throws ([\s\S]*?)(?=\n\n|\n@|$)/.exec(content)?.[1];
  const [description = ""] = content.split(/\n?(?:^|\n)@/);
  return {
    text: paragraphs(description.replace(/ @(default|throws|returns)[\s\S]*$/, "")),
    throws: throws && paragraphs(throws),
    example,
  };
}

function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => (/^\s*[-|]/m.test(paragraph) ? paragraph : paragraph.replaceAll("\n", " ")))
    .join("\n\n");
}

function nodesOf(node: object, field: string): readonly Node[] {
  const value: unknown = Object.entries(node).find(([name]) => name === field)?.[1];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nodeOf(node: object, field: string): Node | undefined {
  const value: unknown = Object.entries(node).find(([name]) => name === field)?.[1];
  return isNode(value) ? value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
