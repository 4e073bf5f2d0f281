import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { messageOf } from "../../errors/submit-error.ts";
import { BodyError } from "../../http/message-body.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import type { DiscardableFile, ReadPieces } from "../store/uploads.ts";
import { type ApiCall, bytesOf, header } from "./call.ts";
import { requireFreeSpace, tooLarge } from "./capacity.ts";

/** Parts of an upload of API v0. */
interface UploadForm {
  readonly file: DiscardableFile;
  /** Unparsed JSON. */
  readonly owner: string;
}

const maxOwnerBytes = 64 * 1024;
/** Upper bound for boundaries, headers and the owner. */
const maxFormBytes = 1024 * 1024;

/**
 * Reads the form from the request and streams the part `resources` to the store. After an error, no file remains in the store.
 *
 * @throws Problem BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, TOO_LARGE
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
    // An unhandled error event would end the server, also after the stream was abandoned.
    stream.on("error", () => {});
    if (files.length > 1) {
      problems.push("The form must have one part resources.");
      stream.resume();
      return;
    }
    const received = scope.store.uploads.receive(limitSize(stream, scope));
    // After a failed write, destroy the parser, because it would wait forever for a reader.
    received.catch((error: unknown) => parser.destroy(error instanceof Error ? error : undefined));
    receiving.push(received);
  });
  parser.on("field", (name, value) => {
    if (name === "resourcesOwner") owners.push(value);
  });
  const read = bytesOf(scope, call, { maxBytes: maxBlobBytes + maxFormBytes });
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
    if (owners.length > 1) problems.push("The form must have one part resourcesOwner.");
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
 * Passes the body to the parser until the form is complete, and ignores the rest. Aborts when the parser stalls: it does not
 * finish some forms that have data after the last boundary.
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
  const abortIfStalled = (taken: Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      const message = "The form does not end after its last boundary.";
      const abort = () => reject(new Problem("BAD_REQUEST", message));
      const cancel = host.clock.after(options.times.bodyIdleMs, abort);
      Promise.race([ended, taken]).then(resolve, reject).finally(cancel);
    });
  await read((piece) =>
    isComplete ? undefined : abortIfStalled(new Promise((resolve) => parser.write(piece, () => resolve()))),
  );
  parser.end();
  await abortIfStalled(ended);
}

function openParser(call: ApiCall): BusboyInstance {
  const type = header(call, "content-type") ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", "The body must be multipart/form-data.");
  }
  try {
    return new Busboy({
      headers: { ...call.request.headers, "content-type": type },
      // The 2017 client sends neither a file name nor a type by which the parser recognizes a file.
      isPartAFile: (name) => name === "resources",
      limits: { fieldSize: maxOwnerBytes, fields: 20, parts: 30 },
    });
  } catch (error) {
    throw new Problem("BAD_REQUEST", messageOf(error));
  }
}

const bytesPerSpaceCheck = 1024 * 1024;

/** Checks the size and the free space while it reads: a chunked form does not state its length. */
const limitSize =
  (pieces: AsyncIterable<Uint8Array>, scope: ServerScope): ReadPieces =>
  async (take) => {
    const { maxBlobBytes = Number.MAX_SAFE_INTEGER } = scope.options.limits;
    let sizeBytes = 0;
    let checkedBytes = 0;
    for await (const piece of pieces) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBlobBytes) throw tooLarge(maxBlobBytes);
      if (sizeBytes - checkedBytes >= bytesPerSpaceCheck) {
        await requireFreeSpace(scope, piece.length);
        checkedBytes = sizeBytes;
      }
      await take(piece);
    }
  };

/** Converts a parser error to a client error. */
function asProblem(error: unknown): unknown {
  const isOther = error instanceof Problem || error instanceof BodyError;
  if (isOther || (error instanceof Error && "code" in error)) return error;
  return new Problem("BAD_REQUEST", `The form is invalid: ${messageOf(error)}`);
}
