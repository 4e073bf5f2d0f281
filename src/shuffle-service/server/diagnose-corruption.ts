import { messageOf } from "../../errors/message-of.ts";
import type { BlockSource } from "../files/block-source.ts";
import { directoryOf, locate, openBlock } from "../files/block-source.ts";
import { type ChecksumAlgorithm, checksumAlgorithms, checksumFileName } from "../files/layout.ts";
import type { corruptionCauses, DiagnoseCorruption } from "../protocol/transfer-messages.ts";
import type { RegisteredExecutor } from "../registry/registrations.ts";
import { startChecksum } from "./checksums.ts";
import type { ServiceScope } from "./scope.ts";

const pieceBytes = 64 * 1024;

/**
 * Finds the cause of a checksum that a reader computed and that differs from the writer's.
 *
 * Source: Spark ShuffleChecksumHelper.diagnoseCorruption. @throws RequestFailure if the executor is not registered
 */
export async function diagnoseCorruption(
  { registrations, source, limitedLog, host }: ServiceScope,
  request: DiagnoseCorruption,
): Promise<keyof typeof corruptionCauses> {
  const executor = registrations.find(request.appId, request.execId);
  const algorithm = checksumAlgorithms.find((name) => name === request.algorithm);
  if (algorithm === undefined) return "unsupportedChecksumAlgorithm";
  try {
    const written = await readWrittenChecksum(source, executor, request, algorithm);
    if (written === undefined) return "unknownIssue";
    const onDisk = await checksumOnDisk(source, executor, { request, algorithm, nowMs: host.clock.monotonic() });
    if (written !== BigInt(onDisk)) return "diskIssue";
    return written === request.checksum ? "checksumVerifyPass" : "networkIssue";
  } catch (error) {
    limitedLog("WARN", "The cause of a wrong checksum cannot be found.", { reason: messageOf(error) });
    return "unknownIssue";
  }
}

/** Reads the checksum that the writer stored; `undefined` if there is none. */
async function readWrittenChecksum(
  { files }: BlockSource,
  executor: RegisteredExecutor,
  { shuffleId, mapId, reduceId }: DiagnoseCorruption,
  algorithm: ChecksumAlgorithm,
): Promise<bigint | undefined> {
  const name = checksumFileName(shuffleId, mapId, algorithm);
  const file = await files.open(directoryOf(executor, name), name);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(8);
    if (reduceId < 0 || (await file.read([bytes], reduceId * 8)) < bytes.length) return undefined;
    return bytes.readBigInt64BE();
  } finally {
    file.close();
  }
}

interface ChecksumCall {
  readonly request: DiagnoseCorruption;
  readonly algorithm: ChecksumAlgorithm;
  readonly nowMs: number;
}

async function checksumOnDisk(
  source: BlockSource,
  executor: RegisteredExecutor,
  { request: { shuffleId, mapId, reduceId }, algorithm, nowMs: checkedSinceMs }: ChecksumCall,
): Promise<number> {
  const block = { kind: "shuffle", shuffleId, mapId, startReduceId: reduceId, endReduceId: reduceId + 1 } as const;
  const range = await locate(source, executor, { block, checkedSinceMs });
  const { file, offset, sizeBytes } = await openBlock(source, range, checkedSinceMs);
  const checksum = startChecksum(algorithm);
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  try {
    // Each read lets other requests run.
    for (let done = 0; file !== undefined && done < sizeBytes; done += pieceBytes) {
      const part = piece.subarray(0, Math.min(pieceBytes, sizeBytes - done));
      if ((await file.read([part], offset + done)) < part.length) throw new Error("The file has become shorter.");
      checksum.update(part);
    }
  } finally {
    file?.release();
  }
  return checksum.value();
}
