import { parseAst } from "rolldown/parseAst";
import { reachFunction } from "./coverage.ts";

/** Counters of all instrumented modules. */
export interface Counters {
  /** String literals by the counter of the block that contains them. The number of counters is the length of the list. */
  readonly literals: string[][];
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
  readonly isEnd?: boolean;
}

/** Children that run only sometimes, by the type of their parent. */
const branches: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ["consequent", "alternate"],
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["right"],
  ArrowFunctionExpression: ["body"],
  ForStatement: ["body"],
  ForOfStatement: ["body"],
  ForInStatement: ["body"],
  WhileStatement: ["body"],
};

/** Adds a call to each block and branch of a module, which reports that it was reached. */
export function instrument(code: string, language: "js" | "ts", { literals }: Counters): string {
  const insertions: Insertion[] = [];
  const reach = () => `${reachFunction}(${literals.push([]) - 1})`;

  const visit = (node: SyntaxNode) => {
    if (node.type === "BlockStatement" || (node.type === "SwitchCase" && statementsOf(node).length > 0))
      insertions.push({ at: blockStart(node), text: `${reach()};` });
    if (node.type === "Literal") literals.at(-1)?.push(...textOf(node));
    for (const [key, child] of childrenOf(node)) {
      if (key === "source") continue;
      if (branches[node.type]?.includes(key) !== true || child.type === "BlockStatement") visit(child);
      else visitBranch(child);
    }
  };
  const visitBranch = (node: SyntaxNode) => {
    const [open, close] = /Statement$|Declaration$/.test(node.type) ? [`{${reach()};`, "}"] : [`(${reach()},`, ")"];
    insertions.push({ at: node.start, text: open });
    visit(node);
    insertions.push({ at: node.end, text: close, isEnd: true });
  };
  visit(parseAst(code, { lang: language }));
  return withInsertions(code, insertions);
}

/** Returns the position of a block's first statement that is not a directive, such as "use strict". */
function blockStart(node: SyntaxNode): number {
  return statementsOf(node)[0]?.start ?? node.end - 1;
}

function statementsOf(node: SyntaxNode): readonly SyntaxNode[] {
  return childrenOf(node).flatMap(([key, child]) => (key === "test" || isDirective(child) ? [] : [child]));
}

function isDirective(node: SyntaxNode): boolean {
  return "directive" in node && typeof node.directive === "string";
}

function childrenOf(node: SyntaxNode): readonly (readonly [string, SyntaxNode])[] {
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child) => [key, child] as const),
  );
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Returns a literal's text if it is short enough to be a token of an input language. */
function textOf(node: SyntaxNode): readonly string[] {
  const value = "value" in node ? node.value : undefined;
  return typeof value === "string" && value.length > 0 && value.length <= 40 ? [value] : [];
}

/** Inserts texts in the order of their positions. At the same position, ends precede starts. */
function withInsertions(code: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at || Number(b.isEnd ?? false) - Number(a.isEnd ?? false));
  const parts: string[] = [];
  let position = 0;
  for (const { at, text } of sorted) {
    parts.push(code.slice(position, at), text);
    position = at;
  }
  return parts.join("") + code.slice(position);
}
