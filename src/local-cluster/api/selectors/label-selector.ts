import { goQuoted } from "../../../values/go-quoted.ts";
import { labelValue, qualifiedName } from "../validation/names.ts";

type Labels = Readonly<Record<string, string>>;

/** Whether labels match a selector. */
export type LabelSelector = (labels: Labels | undefined) => boolean;

type Operator = "in" | "notin" | "exists" | "!" | ">" | "<";

interface Term {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** A syntax error in a selector. */
export class SelectorError extends Error {}

/**
 * Parses a label selector such as `a=b,c!=d,e in (f,g),h notin (i),j,!k,n>5`; an empty one matches everything.
 *
 * @throws SelectorError with Kubernetes' text
 */
export function parseLabelSelector(text: string): LabelSelector {
  const terms = parseTerms(text).map(({ values, ...term }) => ({ ...term, first: values[0], values: new Set(values) }));
  return (labels = {}) => terms.every((term) => fits(term, labels));
}

/** A term whose values are found without comparing each: a selector may have thousands. */
interface SearchableTerm extends Omit<Term, "values"> {
  readonly first: string | undefined;
  readonly values: ReadonlySet<string>;
}

function fits({ key, operator, first, values }: SearchableTerm, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "in":
      return value !== undefined && values.has(value);
    case "notin":
      return value === undefined || !values.has(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case ">":
    case "<": {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const limit = Number(first);
      return operator === ">" ? Number(value) > limit : Number(value) < limit;
    }
  }
}

const symbols = /\s*(==|!=|=|!|,|\(|\)|>|<|[^\s=!,()<>]+)/y;

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  symbols.lastIndex = 0;
  for (let match = symbols.exec(text); match !== null; match = symbols.exec(text)) tokens.push(match[1] ?? "");
  return tokens;
}

/** Tokens of a selector and the position of the next one. */
interface TokenReader {
  /** Returns the next token without consuming it; empty at the end. */
  readonly peek: () => string;
  readonly take: () => string;
}

function tokenReader(text: string): TokenReader {
  const tokens = tokenize(text);
  let position = 0;
  return {
    peek: () => tokens[position] ?? "",
    take() {
      position += 1;
      return tokens[position - 1] ?? "";
    },
  };
}

function parseTerms(text: string): Term[] {
  const reader = tokenReader(text);
  const terms: Term[] = [];
  if (reader.peek() === "") return terms;
  checkTermStart(reader, (token) => `found '${token}', expected: !, identifier, or 'end of string'`);
  for (;;) {
    const term = parseTerm(reader);
    for (const [index, value] of term.values.entries()) checkValue(term.key, value, index);
    terms.push(term);
    if (reader.peek() === "") return terms;
    const comma = reader.take();
    if (comma !== ",") throw new SelectorError(`found '${comma}', expected: ',' or 'end of string'`);
    checkTermStart(reader, (token) => `found '${token}', expected: identifier after ','`);
  }
}

function checkTermStart({ peek }: TokenReader, messageOf: (token: string) => string): void {
  if (peek() !== "!" && !isIdentifier(peek())) throw new SelectorError(messageOf(peek()));
}

function parseTerm(reader: TokenReader): Term {
  const { peek, take } = reader;
  const isNegated = peek() === "!";
  if (isNegated) take();
  const key = take();
  if (!isIdentifier(key)) throw requirementError(`found '${key}', expected: identifier`);
  const fault = qualifiedName(key)[0];
  if (fault !== undefined) throw requirementError(`<nil>: Invalid value: ${goQuoted(key)}: ${fault}`);
  if (isNegated) return { key, operator: "!", values: [] };
  if (peek() === "" || peek() === ",") return { key, operator: "exists", values: [] };
  const operator = take();
  switch (operator) {
    case "in":
    case "notin":
      return { key, operator, values: parseValues(reader) };
    case "=":
    case "==":
      return { key, operator: "in", values: [parseValue(reader)] };
    case "!=":
      return { key, operator: "notin", values: [parseValue(reader)] };
    case ">":
    case "<":
      return { key, operator, values: [number(parseValue(reader))] };
    default:
      throw requirementError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

/** Parses a list of values in parentheses. */
function parseValues({ peek, take }: TokenReader): string[] {
  const open = take();
  if (open !== "(") throw requirementError(`found '${open}' expected: '('`);
  if (peek() !== ")" && peek() !== "," && !isIdentifier(peek())) {
    throw requirementError(`found '${peek()}', expected: ',', ')' or identifier`);
  }
  const values: string[] = [];
  for (let token = take(); token !== ")"; token = take()) {
    if (isIdentifier(token)) {
      values.push(token);
      if (peek() !== "," && peek() !== ")") throw requirementError(`found '${peek()}', expected: ',' or ')'`);
    } else if (token !== ",") throw requirementError(`found '${token}', expected: ',', or identifier`);
    // Between two commas, or a comma and a parenthesis, is the empty value.
    else if (values.length === 0 || peek() === "," || peek() === ")") values.push("");
  }
  return values.length === 0 ? [""] : values;
}

/** Parses one value, which may be empty. */
function parseValue({ peek, take }: TokenReader): string {
  if (peek() === "" || peek() === ",") return "";
  const value = take();
  if (!isIdentifier(value)) throw requirementError(`found '${value}', expected: identifier`);
  return value;
}

function number(value: string): string {
  if (/^[+-]?\d+$/.test(value)) return value;
  const text = "for 'Gt', 'Lt' operators, the value must be an integer";
  throw requirementError(`values[0]: Invalid value: ${goQuoted(value)}: ${text}`);
}

function checkValue(key: string, value: string, index: number): void {
  const fault = labelValue(value)[0];
  if (fault !== undefined)
    throw requirementError(`values[${index}][${key}]: Invalid value: ${goQuoted(value)}: ${fault}`);
}

function isIdentifier(token: string): boolean {
  return token !== "" && !/^[=!,()<>]/.test(token);
}

function requirementError(fault: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${fault}`);
}
