import { messageOf } from "../../errors/message-of.ts";
import { listNamedBlocks, listShuffleBlocks } from "../files/block-list.ts";
import { directoryOf } from "../files/block-source.ts";
import { checksumFilesOf, isFileName } from "../files/layout.ts";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import {
  blocksRemoved,
  corruptionCause,
  localDirsForExecutors,
  streamHandle,
  type TransferRequest,
} from "../protocol/transfer-messages.ts";
import type { RegisteredExecutor } from "../registry/registrations.ts";
import { RequestFailure } from "../request-failure.ts";
import type { Connection } from "./connection.ts";
import { diagnoseCorruption } from "./diagnose-corruption.ts";
import { TemporaryFailure } from "./prepare-chunks.ts";
import { maxFailureLength } from "./print-chunk.ts";
import type { ServiceScope } from "./scope.ts";

/** Limits of a connection's open streams, and of the blocks of a request. */
const maxStreams = 10_000;
const maxBlocks = 1_000_000;

/** A decoded RPC and the connection that sent it. */
interface TransferCall {
  readonly connection: Connection;
  readonly request: TransferRequest;
  readonly bodyBytes: number;
}

/**
 * Runs a request and returns the body of its response.
 *
 * @throws RequestFailure or MalformedMessage for the client, and TemporaryFailure
 */
export async function runRequest(scope: ServiceScope, call: TransferCall): Promise<Buffer> {
  const { connection, request } = call;
  requireApplication(connection, request.appId);
  switch (request.kind) {
    case "openBlocks":
      return openStream(scope, call, request, listNamedBlocks(request.blockIds));
    case "fetchShuffleBlocks":
      return openStream(scope, call, request, listShuffleBlocks(request));
    case "registerExecutor":
      return await registerExecutor(scope, request);
    case "removeBlocks":
      return blocksRemoved(await removeFiles(scope, request));
    case "getLocalDirs":
      return localDirs(scope, request);
    case "diagnoseCorruption":
      return corruptionCause(await diagnose(scope, request));
    case "merge":
      throw new RequestFailure("unsupported", "Cannot handle shuffle block merge");
    case "removeMerge":
      throw new RequestFailure("unsupported", "Cannot handle merged shuffle remove");
  }
}

/** Requires that a client has proved the application that it names. Without authentication, it may name any. @throws RequestFailure */
export function requireApplication({ clientId }: Connection, appId: string): void {
  if (clientId === undefined || clientId === appId) return;
  throw new RequestFailure("security", `Client for ${clientId} not authorized for application ${appId}.`);
}

type Request<K extends TransferRequest["kind"]> = Extract<TransferRequest, { kind: K }>;

function openStream(
  scope: ServiceScope,
  { connection, bodyBytes }: TransferCall,
  { appId, execId }: { readonly appId: string; readonly execId: string },
  blocks: ReturnType<typeof listShuffleBlocks>,
): Buffer {
  if (blocks.length > maxBlocks) throw new RequestFailure("illegalArgument", `More than ${maxBlocks} blocks requested`);
  if (connection.streamIds.size >= maxStreams) throw new RequestFailure("illegalState", "Too many open streams");
  if (!scope.memory.reserve(bodyBytes)) throw new TemporaryFailure("the memory for requests is full");
  const openedMs = scope.host.clock.monotonic();
  const stream = scope.streams.add(connection, { appId, execId, blocks, openedMs, requestBytes: bodyBytes });
  connection.streamIds.add(stream.id);
  scope.counters.openStreams += 1;
  if (blocks.length === 0) scope.streams.remove(stream.id);
  return streamHandle(stream.id, blocks.length);
}

async function registerExecutor(scope: ServiceScope, request: Request<"registerExecutor">): Promise<Buffer> {
  const { registrations, registrationLog, host, log, limitedLog, counters } = scope;
  const { appId, execId, localDirs: directories, subDirsPerLocalDir, shuffleManager } = request;
  const info = { localDirs: directories, subDirsPerLocalDir, shuffleManager };
  const nowMs = host.clock.now();
  registrations.register({ appId, execId }, info, nowMs);
  try {
    await registrationLog?.register({ appId, execId }, info, nowMs);
  } catch (error) {
    // The executor works with the service until the next restart. Without a registration, it would end.
    counters.errors.state += 1;
    limitedLog("ERROR", "A registration cannot be stored, so a restart loses it.", { reason: messageOf(error) });
  }
  log("INFO", "An executor was registered.", { appId, execId, directories });
  return Buffer.alloc(0);
}

async function removeFiles(scope: ServiceScope, { appId, execId, names }: Request<"removeBlocks">): Promise<number> {
  const executor = scope.registrations.find(appId, execId);
  const allowed = names.filter(isFileName);
  // Spark does not name the checksum files, so they would stay until the application ends. They do not count.
  const checksums = allowed.flatMap(checksumFilesOf);
  let removed = 0;
  for (const [index, name] of [...allowed, ...checksums].entries()) {
    const isRemoved = await removeFile(scope, executor, name);
    if (isRemoved && index < allowed.length) removed += 1;
    // A call for a file that does not exist does not wait, and a request can have a million names.
    if (index % 100 === 99) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return removed;
}

async function removeFile(
  { source, limitedLog }: ServiceScope,
  executor: RegisteredExecutor,
  name: string,
): Promise<boolean> {
  const directory = directoryOf(executor, name);
  try {
    return await source.files.remove(directory, name);
  } catch (error) {
    limitedLog("WARN", "A file cannot be removed.", { reason: messageOf(error) });
    return false;
  } finally {
    source.indexes.forget(directory, name);
    source.open.forget(directory, name);
  }
}

async function diagnose(scope: ServiceScope, request: Request<"diagnoseCorruption">) {
  await scope.diagnoses.acquire();
  try {
    return await diagnoseCorruption(scope, request);
  } finally {
    scope.diagnoses.release();
  }
}

function localDirs({ registrations }: ServiceScope, { appId, execIds }: Request<"getLocalDirs">): Buffer {
  return localDirsForExecutors(new Map(execIds.map((execId) => [execId, registrations.find(appId, execId).localDirs])));
}

/** Returns the text of a failed RPC. @throws every other error */
export function rpcFailureText(error: unknown): string {
  if (error instanceof RequestFailure) return error.print().slice(0, maxFailureLength);
  if (!(error instanceof MalformedMessage)) throw error;
  return `java.lang.IllegalArgumentException: ${error.message}`.slice(0, maxFailureLength);
}
