import * as v from "valibot";
import { lengthOf } from "../../http/message-body.ts";
import { exceededJsonLimit, type JsonLimits, printJsonExcess } from "../../values/json-limits.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { parseJson } from "../store/bundle-record.ts";
import { type ApiCall, bytesOf, header } from "./call.ts";

/** Limits of a body's structure, far above those of valid requests. The depth is that of System.Text.Json. */
const structure: JsonLimits = { maxDepth: 64, maxValues: 100_000, maxNameBytes: 1024 };

/** Maximum size of a body without lists. */
export const maxPlainJsonBytes = 64 * 1024;
/** Maximum size of a body with a list: 10,000 entries with names of 255 characters have 4.2 MB. */
export const maxListJsonBytes = 5 * 1024 * 1024;

/** A slow body must not keep its memory from others for long. */
const minJsonBytesPerSecond = 16 * 1024;

const maxReportedProblems = 20;
const maxProblemLength = 500;

/** Shape of an array of at most `maxItems`. Checks its length before the items. */
export function listShape<S extends v.GenericSchema>(item: S, maxItems: number) {
  const atMost = v.maxLength<unknown[], number, string>(maxItems, `must have at most ${maxItems} items`);
  return v.pipe(v.array(v.unknown()), atMost, v.array(item));
}

/**
 * Reads and validates a JSON body of at most `maxBytes`. Call it after the caller is authenticated.
 *
 * @throws Problem BAD_REQUEST with the invalid fields, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE; BusyError
 */
export async function jsonOf<S extends v.GenericSchema>(
  scope: ServerScope,
  call: ApiCall,
  { shape, maxBytes }: { readonly shape: S; readonly maxBytes: number },
): Promise<v.InferOutput<S>> {
  const type = header(call, "content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", `The body must be application/json instead of ${type}.`);
  }
  const lengthBytes = lengthOf(call.request);
  if (lengthBytes > maxBytes) throw new Problem("TOO_LARGE", `The JSON body exceeds ${maxBytes} bytes.`);
  const isChunked = call.request.headers["transfer-encoding"] !== undefined;
  const release = await scope.bodies.acquire(isChunked ? maxBytes : lengthBytes);
  try {
    const pieces: Uint8Array[] = [];
    const read = bytesOf(scope, call, { maxBytes, minBytesPerSecond: minJsonBytesPerSecond });
    await read((piece) => {
      pieces.push(piece);
      return undefined;
    });
    return parseShape(shape, Buffer.concat(pieces), "The body");
  } finally {
    release();
  }
}

/** Parses and validates JSON. `what` names the text in messages. @throws Problem BAD_REQUEST with the invalid fields, TOO_LARGE */
export function parseShape<S extends v.GenericSchema>(shape: S, text: Buffer, what: string): v.InferOutput<S> {
  const exceeded = exceededJsonLimit(text, structure);
  if (exceeded !== undefined) throw new Problem("TOO_LARGE", `${what} ${printJsonExcess(exceeded, structure)}.`);
  const json = parseJson(text.toString("utf8"));
  if (json === undefined) throw new Problem("BAD_REQUEST", `${what} is not JSON.`);
  const parsed = v.safeParse(shape, json);
  if (parsed.success) return parsed.output;
  const reasons = parsed.issues.map((found) => {
    const path = v.getDotPath(found);
    return path === null ? found.message : `${path}: ${found.message}`;
  });
  throw new Problem("BAD_REQUEST", `${what} is invalid. ${joinProblems(reasons)}`);
}

/** Joins the first problems of a request, each shortened, and counts the others. */
export function joinProblems(problems: readonly string[]): string {
  const shown = problems
    .slice(0, maxReportedProblems)
    .map((text) => (text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text));
  const others = problems.length - shown.length;
  return `${shown.join("; ")}${others > 0 ? `; and ${others} more` : ""}`;
}
