import { isArray, isObject, isSame, unshared } from "../json.ts";

/** A patch that does not fit the document. */
export class PatchError extends Error {}

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
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Parses a JSON patch; `undefined` if the value is not a list of operations. */
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
 * Applies a JSON patch (RFC 6902) as leniently as Kubernetes does: `replace` adds a missing field of an object, `copy` of a
 * missing field yields null, an absent `value` is null, and text before the first `/` of a path is ignored.
 *
 * @throws PatchError if an operation fails
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
        locate(result, path).add(value);
        break;
      case "replace":
        locate(result, path).replace(value);
        break;
      case "remove":
        locate(result, path).remove();
        break;
      case "move": {
        const source = locate(result, from);
        const moved = source.get();
        source.remove();
        locate(result, path).add(moved ?? null);
        break;
      }
      case "copy":
        locate(result, path).add(unshared(locate(result, from).get() ?? null));
        break;
      case "test":
        if (!isSame(locate(result, path).get() ?? null, value)) throw new PatchError("test failed");
        break;
      default:
        throw new PatchError(`unexpected kind: ${op}`);
    }
  }
  return result;
}

interface Location {
  readonly get: () => unknown;
  readonly add: (value: unknown) => void;
  readonly replace: (value: unknown) => void;
  readonly remove: () => void;
}

/** Resolves a JSON pointer to a field or item whose parents all exist. @throws PatchError */
function locate(document: unknown, pointer: string): Location {
  const tokens = (pointer ?? "").split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = tokens.length < 2 ? undefined : tokens.pop();
  tokens.shift();
  if (key === undefined) throw new PatchError(`missing path: ${pointer}`);
  let container: unknown = document;
  for (const token of tokens) container = child(container, token);
  if (Array.isArray(container)) return itemLocation(container, key);
  if (isMutable(container)) return fieldLocation(container, key);
  throw new PatchError(`missing path: ${pointer}`);
}

function child(container: unknown, token: string): unknown {
  if (isArray(container)) return container[Number(token)];
  return isObject(container) && Object.hasOwn(container, token) ? container[token] : undefined;
}

function isMutable(value: unknown): value is Record<string, unknown> {
  return isObject(value);
}

function fieldLocation(object: Record<string, unknown>, key: string): Location {
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

function itemLocation(list: unknown[], key: string): Location {
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
