import { ownMember } from "../../../values/own-member.ts";
import { exceedsDepth, goTypeOf, isArray, isObject, isSame, type JsonObject, setField, unshared } from "../json.ts";
import { maxJsonDepth } from "../wire/json-syntax.ts";

/** A patch that does not fit the document. */
export class PatchError extends Error {}

/** A JSON text that is not a patch. Its message is that of Go's parser. */
export class PatchFormatError extends Error {}

/** Maximum number of operations. Source: Kubernetes 1.35, maxJSONPatchOperations. */
export const maxPatchOperations = 10_000;

/** Maximum total size of the copied values. Source: Kubernetes 1.35, which sets AccumulatedCopySizeLimit to its body limit. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * Maximum number of steps: moving an item of a list is one, comparing a field of an object 500. Kubernetes has no such limit and
 * gives up after 34 s; this process serves nothing else meanwhile. Ten thousand insertions at the start of a list of 10,000
 * items are possible.
 */
const maxSteps = 200_000_000;
const stepsPerField = 500;

const operationFields = ["op", "path", "from", "value"];

/** Returns the paths of unknown fields in a JSON patch's operations, e.g. `[0].extra`. */
export function unknownOperationFields(operations: readonly PatchOperation[]): string[] {
  return operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((field) => !operationFields.includes(field))
      .map((field) => `[${index}].${field}`),
  );
}

/** One operation of a JSON patch. */
interface PatchOperation {
  readonly op?: string | null;
  readonly path?: string | null;
  readonly from?: string | null;
  readonly value?: unknown;
}

/** Parses a JSON patch. @throws PatchFormatError */
export function parseJsonPatch(value: unknown): readonly PatchOperation[] {
  if (value === null) return [];
  if (!isArray(value)) throw new PatchFormatError(`${mismatch(value)} value of type []handlers.jsonPatchOp`);
  return value.map((item) => {
    const operation = item === null ? {} : item;
    if (!isObject(operation)) throw new PatchFormatError(`${mismatch(item)} value of type handlers.jsonPatchOp`);
    if (isOperation(operation)) return operation;
    const field = ["op", "path", "from"].find((name) => !isTextOrAbsent(ownMember(operation, name))) ?? "";
    throw new PatchFormatError(`${mismatch(operation[field])} struct field jsonPatchOp.${field} of type string`);
  });
}

function mismatch(value: unknown): string {
  return `json: cannot unmarshal ${goTypeOf(value)} into Go`;
}

function isOperation(value: JsonObject): value is PatchOperation & JsonObject {
  return ["op", "path", "from"].every((field) => isTextOrAbsent(ownMember(value, field)));
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === "string" || value === undefined || value === null;
}

/**
 * Applies a JSON patch (RFC 6902) as leniently as Kubernetes does: `replace` adds a missing field of an object, `copy` of a
 * missing field yields null, an absent `value` is null, and text before the first `/` of a path is ignored.
 *
 * The result may contain values of the patch.
 *
 * @throws PatchError if an operation fails or the patch does too much
 */
export function applyJsonPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { document: unshared(document) };
  const work: Work = { copiedBytes: 0, steps: 0 };
  for (const operation of patch) applyOperation(root, operation, work);
  if (exceedsDepth(root.document, maxJsonDepth)) throw new PatchError("the result exceeds the maximum depth");
  return root.document;
}

/** Amount of work that a patch has caused. */
interface Work {
  copiedBytes: number;
  steps: number;
}

function countSteps(work: Work, steps: number): void {
  work.steps += steps;
  if (work.steps > maxSteps) throw new PatchError(`takes more than ${maxSteps} steps`);
}

function applyOperation(root: { document: unknown }, operation: PatchOperation, work: Work): void {
  const { value = null } = operation;
  const [path, from] = [operation.path ?? undefined, operation.from ?? undefined];
  const at = (pointer: string | undefined) => locate(root.document, pointer, work);
  switch (operation.op) {
    case "add":
      at(path).add(value);
      break;
    case "replace":
      if (path === "") root.document = value;
      else at(path).replace(value);
      break;
    case "remove":
      at(path).remove();
      break;
    case "move": {
      const source = at(from);
      const moved = source.get();
      source.remove();
      at(path).add(moved ?? null);
      break;
    }
    case "copy": {
      const copied = at(from).get() ?? null;
      work.copiedBytes += sizeOf(copied, maxCopiedBytes - work.copiedBytes);
      if (work.copiedBytes > maxCopiedBytes) throw new PatchError(`copies more than ${maxCopiedBytes} bytes`);
      at(path).add(unshared(copied));
      break;
    }
    case "test": {
      const tested = path === "" ? root.document : (at(path).get() ?? null);
      const isEqual = isSame(tested, value, (fields) => countSteps(work, fields * stepsPerField));
      if (!isEqual) throw new PatchError("test failed");
      break;
    }
    default:
      throw new PatchError(`unexpected kind: ${operation.op}`);
  }
}

/** Returns the size of a value as JSON, or a number above `limit` for a larger one. */
function sizeOf(value: unknown, limit: number): number {
  const pending = [value];
  let bytes = 0;
  while (pending.length > 0 && bytes <= limit) {
    const part = pending.pop();
    if (isArray(part)) {
      // Brackets, and a comma for each further item.
      bytes += 1 + Math.max(part.length, 1);
      for (const item of part) pending.push(item);
    } else if (isObject(part)) {
      const names = Object.keys(part);
      bytes += 1 + Math.max(names.length, 1);
      for (const name of names) {
        bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
        pending.push(part[name]);
      }
    } else bytes += Buffer.byteLength(JSON.stringify(part));
  }
  return bytes;
}

interface Location {
  readonly get: () => unknown;
  readonly add: (value: unknown) => void;
  readonly replace: (value: unknown) => void;
  readonly remove: () => void;
}

/** Resolves a JSON pointer to a field or item whose parents all exist. @throws PatchError */
function locate(document: unknown, pointer = "", work: Work): Location {
  const tokens = pointer.split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = tokens.length < 2 ? undefined : tokens.pop();
  tokens.shift();
  if (key === undefined) throw new PatchError(`missing path: ${pointer}`);
  let container: unknown = document;
  for (const token of tokens) {
    container = child(container, token);
    if (container === undefined) throw new PatchError(`missing path: ${pointer}`);
  }
  if (Array.isArray(container)) return itemLocation(container, key, work);
  if (isMutable(container)) return fieldLocation(container, key);
  throw new PatchError(`missing path: ${pointer}`);
}

function child(container: unknown, token: string): unknown {
  if (isArray(container)) return container[itemIndex(token, container.length, container.length)];
  return isObject(container) ? ownMember(container, token) : undefined;
}

function isMutable(value: unknown): value is Record<string, unknown> {
  return isObject(value);
}

function fieldLocation(object: Record<string, unknown>, key: string): Location {
  const set = (value: unknown) => setField(object, key, value);
  return {
    get: () => ownMember(object, key),
    add: set,
    replace: set,
    remove() {
      if (!Object.hasOwn(object, key)) throw new PatchError(`nothing to remove: ${key}`);
      delete object[key];
    },
  };
}

/** Parses the index of an item; a negative one counts from `length`. @throws PatchError unless it is below `end` */
function itemIndex(key: string, length: number, end: number): number {
  const number = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const index = number < 0 ? number + length : number;
  if (!(index >= 0 && index < end)) throw new PatchError(`no such item: ${key}`);
  return index;
}

function itemLocation(list: unknown[], key: string, work: Work): Location {
  const index = () => itemIndex(key, list.length, list.length);
  const splice = (at: number, removed: number, ...added: readonly unknown[]) => {
    countSteps(work, list.length - at);
    list.splice(at, removed, ...added);
  };
  return {
    get: () => list[index()],
    add(value) {
      if (key === "-") list.push(value);
      // As in Kubernetes, -1 adds after the last item.
      else splice(itemIndex(key, list.length + 1, list.length + 1), 0, value);
    },
    replace(value) {
      list[index()] = value;
    },
    remove: () => splice(index(), 1),
  };
}
