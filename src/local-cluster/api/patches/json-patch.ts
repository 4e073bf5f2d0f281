import { isArray, isObject, isSame, unshared } from "../json.ts";

/** A patch that does not fit the document. */
export class PatchError extends Error {}

const operationFields = ["op", "path", "from", "value"];

/** Fields of a JSON patch's steps that mean nothing, e.g. `[0].extra`. */
export function unknownOperationFields(operations: readonly PatchOperation[]): string[] {
  return operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((field) => !operationFields.includes(field))
      .map((field) => `[${index}].${field}`),
  );
}

/** One step of a JSON patch. */
export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Reads a JSON patch; `undefined` when it is no list of operations. */
export function parseJsonPatch(value: unknown): readonly PatchOperation[] | undefined {
  if (!isArray(value)) return undefined;
  const operations = value.filter(isOperation);
  return operations.length === value.length ? operations : undefined;
}

function isOperation(value: unknown): value is PatchOperation {
  if (!isObject(value)) return false;
  const { op, path, from } = value;
  return (
    typeof op === "string" &&
    (path === undefined || typeof path === "string") &&
    (from === undefined || typeof from === "string")
  );
}

/**
 * Applies a JSON patch (RFC 6902) as leniently as Kubernetes does: `replace` adds what is missing in an object, and `copy` of a
 * missing field gives null; an absent `value` is null; what stands before the first `/` of a path is not looked at.
 *
 * @throws PatchError when an operation cannot be carried out
 */
export function applyJsonPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  let result = unshared(document);
  for (const { op, path, from = "", value: sent = null } of patch) {
    const value = unshared(sent);
    if (path === "" && (op === "replace" || op === "test")) {
      if (op === "replace") result = value;
      else if (!isSame(result, value)) throw new PatchError("test failed");
      continue;
    }
    switch (op) {
      case "add":
        place(result, path).add(value);
        break;
      case "replace":
        place(result, path).replace(value);
        break;
      case "remove":
        place(result, path).remove();
        break;
      case "move": {
        const source = place(result, from);
        const moved = source.get();
        source.remove();
        place(result, path).add(moved ?? null);
        break;
      }
      case "copy":
        place(result, path).add(unshared(place(result, from).get() ?? null));
        break;
      case "test":
        if (!isSame(place(result, path).get() ?? null, value)) throw new PatchError("test failed");
        break;
      default:
        throw new PatchError(`unexpected kind: ${op}`);
    }
  }
  return result;
}

interface Place {
  readonly get: () => unknown;
  readonly add: (value: unknown) => void;
  readonly replace: (value: unknown) => void;
  readonly remove: () => void;
}

/** The field or item that a JSON pointer names; all that is above it must exist. */
function place(document: unknown, pointer: string): Place {
  const words = (pointer ?? "").split("/").map((word) => word.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = words.length < 2 ? undefined : words.pop();
  words.shift();
  if (key === undefined) throw new PatchError(`missing path: ${pointer}`);
  let container: unknown = document;
  for (const word of words) container = child(container, word);
  if (Array.isArray(container)) return itemPlace(container, key);
  if (isMutable(container)) return fieldPlace(container, key);
  throw new PatchError(`missing path: ${pointer}`);
}

function child(container: unknown, word: string): unknown {
  if (isArray(container)) return container[Number(word)];
  return isObject(container) && Object.hasOwn(container, word) ? container[word] : undefined;
}

function isMutable(value: unknown): value is Record<string, unknown> {
  return isObject(value);
}

function fieldPlace(object: Record<string, unknown>, key: string): Place {
  const set = (value: unknown) => {
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  };
  return {
    get: () => (Object.hasOwn(object, key) ? object[key] : undefined),
    add: set,
    replace: set,
    remove() {
      if (!Object.hasOwn(object, key)) throw new PatchError(`nothing to remove: ${key}`);
      delete object[key];
    },
  };
}

function itemPlace(list: unknown[], key: string): Place {
  const index = (end: number) => {
    const number = /^-?\d+$/.test(key) ? Number(key) : Number.NaN;
    const counted = number < 0 ? number + list.length : number;
    if (!(counted >= 0 && counted < end)) throw new PatchError(`no such item: ${key}`);
    return counted;
  };
  return {
    get: () => list[index(list.length)],
    add: (value) => {
      if (key === "-") list.push(value);
      else list.splice(index(list.length + 1), 0, value);
    },
    replace: (value) => {
      list[index(list.length)] = value;
    },
    remove: () => {
      list.splice(index(list.length), 1);
    },
  };
}
