import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../host/host.ts";

/** Why a body was not read to its end. */
export class BodyError extends Error {
  readonly kind: "tooLarge" | "idle" | "cut";

  constructor(kind: BodyError["kind"], options?: { cause?: unknown }) {
    super(`the body of the request: ${kind}`, options);
    this.name = "BodyError";
    this.kind = kind;
  }
}

/** How much of a body is taken, and how long the next piece of it may take. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly idleMs: number;
  readonly clock: Pick<Clock, "after">;
}

/**
 * The body of a request, piece by piece, as fast as it is taken. Whoever waits for leave to send it (`Expect`) gets that
 * with the first piece asked for.
 *
 * @throws BodyError
 */
export async function* messageBody(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { maxBytes, idleMs, clock }: BodyLimits,
): AsyncGenerator<Buffer, void, undefined> {
  if (lengthOf(request) > maxBytes) throw new BodyError("tooLarge");
  if (request.headers.expect !== undefined) response.writeContinue();
  // Else the connection would go with the iterator, before anything is answered.
  const pieces: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let sizeBytes = 0;
  try {
    for (;;) {
      const piece = await soon(pieces.next(), { idleMs, clock });
      if (piece.done === true) return;
      sizeBytes += piece.value.length;
      if (sizeBytes > maxBytes) throw new BodyError("tooLarge");
      yield piece.value;
    }
  } finally {
    // Not awaited: what never comes would be waited for first.
    void pieces.return?.();
  }
}

/** The length that a request announces; 0 where it does not. */
export function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** A whole body, for what is small. @throws BodyError */
export async function wholeBody(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of pieces) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function soon<T>(next: Promise<T>, { idleMs, clock }: Pick<BodyLimits, "idleMs" | "clock">): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(idleMs, () => reject(new BodyError("idle")));
    next.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (cause: unknown) => {
        cancel();
        reject(new BodyError("cut", { cause }));
      },
    );
  });
}
