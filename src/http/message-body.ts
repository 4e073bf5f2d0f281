import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../host/host.ts";

/** Reason why a body was not read completely. */
export class BodyError extends Error {
  readonly kind: "tooLarge" | "idle" | "cut";

  constructor(kind: BodyError["kind"], options?: { cause?: unknown }) {
    super(`the body of the request: ${kind}`, options);
    this.name = "BodyError";
    this.kind = kind;
  }
}

/** Limits of a body: its size, the time until the next chunk, and the rate. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly idleMs: number;
  /** Average after the first `idleMs`. @default 240, as in ASP.NET's Kestrel */
  readonly minBytesPerSecond?: number;
  readonly clock: Pick<Clock, "after" | "monotonic">;
}

/** Takes a piece; no other one comes until what it returns has resolved. */
export type TakePiece = (piece: Uint8Array) => Promise<void> | undefined;

/**
 * Reads the body of a request in pieces, as fast as the caller handles them. Sends `100 Continue` to a client that expects
 * it. The time in which the caller handles a piece does not count as the client's. Neither a stream nor an iterator: gigabytes are taken without a promise and a timer for each piece.
 *
 * @throws BodyError, and what `take` throws, when nothing is being taken any more
 */
export async function readBody(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { maxBytes, idleMs, minBytesPerSecond = 240, clock }: BodyLimits,
  take: TakePiece,
): Promise<void> {
  if (lengthOf(request) > maxBytes) throw new BodyError("tooLarge");
  if (request.readableEnded) return;
  if (request.destroyed) throw new BodyError("cut");
  if (request.headers.expect !== undefined) response.writeContinue();
  let sizeBytes = 0;
  let taking: Promise<void> | undefined;
  let waitsSinceMs = clock.monotonic();
  let waitedMs = 0;
  let [stop, isDone] = [() => {}, false];
  const read = new Promise<void>((resolve, reject) => {
    const goOn = () => {
      taking = undefined;
      waitsSinceMs = clock.monotonic();
      if (!isDone) request.resume();
    };
    const onPiece = (piece: Buffer) => {
      waitedMs += clock.monotonic() - waitsSinceMs;
      waitsSinceMs = clock.monotonic();
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) return reject(new BodyError("tooLarge"));
      try {
        taking = take(piece);
      } catch (error) {
        return reject(error);
      }
      if (taking === undefined) return;
      request.pause();
      taking.then(goOn, reject);
    };
    const onCut = (cause?: unknown) => reject(new BodyError("cut", { cause }));
    // While a piece is being taken, it is not the sender who is idle.
    const look = () => {
      const idleForMs = taking === undefined ? clock.monotonic() - waitsSinceMs : 0;
      const slowestMs = idleMs + (sizeBytes / minBytesPerSecond) * 1000;
      const leftMs = Math.min(idleMs - idleForMs, slowestMs - waitedMs - idleForMs);
      if (leftMs <= 0) reject(new BodyError("idle"));
      else cancel = clock.after(leftMs, look);
    };
    let cancel = clock.after(idleMs, look);
    stop = () => {
      isDone = true;
      cancel();
      request.off("data", onPiece).off("end", resolve).off("close", onCut);
    };
    // Never removed: an error without a listener ends the server.
    request.on("error", onCut).on("close", onCut).on("end", resolve).on("data", onPiece);
  });
  await read.catch(async (error: unknown) => {
    stop();
    request.pause();
    await taking?.catch(() => {});
    throw error;
  });
  stop();
}

/** The length that a request announces; 0 where it does not. */
export function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}
