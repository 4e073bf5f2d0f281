import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { messageOf } from "../../errors/submit-error.ts";
import { BodyError } from "../../http/message-body.ts";
import { Problem } from "../problem.ts";
import type { ServerScope } from "../scope.ts";
import type { DiscardableFile, ReadPieces } from "../store/uploads.ts";
import { type ApiCall, bytesOf, header } from "./call.ts";
import { tooLarge } from "./capacity.ts";

/** The two parts of an upload of API v0. */
export interface UploadForm {
  readonly file: DiscardableFile;
  /** JSON, unread. */
  readonly owner: string;
}

const maxOwnerBytes = 64 * 1024;
/** Boundaries, headers and the owner, generously. */
const maxFormBytes = 1024 * 1024;

/**
 * Reads the form while it comes; `resources` goes to the disk as it is.
 *
 * @throws Problem BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; then nothing is left on the disk
 */
export async function readUploadForm(scope: ServerScope, call: ApiCall): Promise<UploadForm> {
  const { maxBlobBytes = Number.MAX_SAFE_INTEGER } = scope.options.limits;
  const parser = openParser(call);
  const files: BusboyFileStream[] = [];
  const receiving: Promise<UploadForm["file"]>[] = [];
  const owners: string[] = [];
  const problems: string[] = [];
  parser.on("file", (_name, stream) => {
    files.push(stream);
    // Also when nobody reads it any more: what nobody hears would end the server.
    stream.on("error", () => {});
    if (files.length > 1) {
      problems.push("There must be one part resources, and not two.");
      stream.resume();
      return;
    }
    const received = scope.store.uploads.receive(atMost(stream, maxBlobBytes));
    // A disk that is full ends the request, instead of a parser that waits for somebody to read.
    received.catch((error: unknown) => parser.destroy(error instanceof Error ? error : undefined));
    receiving.push(received);
  });
  parser.on("field", (name, value) => {
    if (name === "resourcesOwner") owners.push(value);
  });
  const read = bytesOf(scope, call, maxBlobBytes + maxFormBytes);
  const failure = await feed(parser, read, scope).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(messageOf(error))),
  );
  if (failure !== undefined) for (const file of files) file.destroy(failure);
  const [received] = await Promise.allSettled(receiving);
  const file = received?.status === "fulfilled" ? received.value : undefined;
  try {
    if (received?.status === "rejected") throw received.reason;
    if (failure !== undefined) throw failure;
    const [owner] = owners;
    if (file === undefined) problems.push("The part resources is missing.");
    if (owner === undefined) problems.push("The part resourcesOwner is missing.");
    if (owners.length > 1) problems.push("There must be one part resourcesOwner.");
    if (file === undefined || owner === undefined || problems.length > 0) {
      throw new Problem("BAD_REQUEST", problems.join(" "));
    }
    return { file, owner };
  } catch (error) {
    await file?.discard();
    throw asProblem(error);
  }
}

/**
 * Hands the body to the parser until the form is complete; what follows is passed over. A parser that takes nothing more of a
 * form without ever ending it is given up: it has been seen with what follows a last boundary.
 */
async function feed(parser: BusboyInstance, read: ReadPieces, { host, options }: ServerScope): Promise<void> {
  let isComplete = false;
  const ended = new Promise<void>((resolve, reject) => {
    parser.on("error", reject).on("finish", () => {
      isComplete = true;
      resolve();
    });
  });
  ended.catch(() => {});
  const orStalled = (taken: Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      const message = "The form does not end where it should.";
      const giveUp = () => reject(new Problem("BAD_REQUEST", message));
      const cancel = host.clock.after(options.times.bodyIdleMs, giveUp);
      Promise.race([ended, taken]).then(resolve, reject).finally(cancel);
    });
  await read((piece) =>
    isComplete ? undefined : orStalled(new Promise((resolve) => parser.write(piece, () => resolve()))),
  );
  parser.end();
  await orStalled(ended);
}

function openParser(call: ApiCall): BusboyInstance {
  const type = header(call, "content-type") ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", "The body must be multipart/form-data.");
  }
  try {
    return new Busboy({
      headers: { ...call.request.headers, "content-type": type },
      // The client of 2017 gives the part neither a file name nor a type that would tell.
      isPartAFile: (name) => name === "resources",
      limits: { fieldSize: maxOwnerBytes, fields: 20, parts: 30 },
    });
  } catch (error) {
    throw new Problem("BAD_REQUEST", messageOf(error));
  }
}

const atMost =
  (pieces: AsyncIterable<Uint8Array>, maxBytes: number): ReadPieces =>
  async (take) => {
    let sizeBytes = 0;
    for await (const piece of pieces) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      await take(piece);
    }
  };

/** Converts a parser error to a client error. */
function asProblem(error: unknown): unknown {
  const isOther = error instanceof Problem || error instanceof BodyError;
  if (isOther || (error instanceof Error && "code" in error)) return error;
  return new Problem("BAD_REQUEST", `The form cannot be read: ${messageOf(error)}`);
}
