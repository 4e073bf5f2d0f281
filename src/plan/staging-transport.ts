import { stagingSecretMaxSize, stagingServer, stagingTransport } from "../conf/entries/localizing.ts";
import { fileUploadPath } from "../conf/entries/staging.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import type { Digest } from "../values/staged-entry.ts";
import type { LocalizedEntry } from "./localized-entries.ts";

/** What carries files of this machine to the driver. */
export type Transport = "secret" | "server";

/** A transport, and why it is this one. */
export interface ChosenTransport {
  readonly transport: Transport;
  /** The end of a sentence, e.g. `they fit into Secrets (…)`. */
  readonly reason: string;
}

/**
 * Chooses what carries the entries: what the settings say, else the simplest that can.
 *
 * Errors: SUBMIT_ERR_STAGING_NONE, SUBMIT_ERR_STAGING_NO_SERVER, SUBMIT_ERR_STAGING_TOO_LARGE.
 */
export function chooseTransport(
  conf: SparkConf,
  entries: readonly LocalizedEntry[],
  files: string,
): Result<ChosenTransport> {
  const wanted = conf.get(stagingTransport);
  if (wanted === "none") return failure("SUBMIT_ERR_STAGING_NONE", { key: stagingTransport.key, files });
  const server = conf.get(stagingServer);
  if (wanted === "server") {
    if (server === undefined)
      return failure("SUBMIT_ERR_STAGING_NO_SERVER", {
        key: stagingTransport.key,
        serverKey: stagingServer.key,
      });
    return success({ transport: "server", reason: `${stagingTransport.key} says so` });
  }
  const carried = inSecrets(conf, entries);
  if (carried.ok || wanted === "secret" || server === undefined) return carried;
  const { key } = stagingSecretMaxSize;
  return success({ transport: "server", reason: `they are too large for Secrets, see ${key}` });
}

function inSecrets(conf: SparkConf, entries: readonly LocalizedEntry[]): Result<ChosenTransport> {
  const sizeBytes = secretBytes(entries);
  const { key } = stagingSecretMaxSize;
  const limitBytes = conf.get(stagingSecretMaxSize);
  const largest = [...entries].sort((a, b) => b.size - a.size)[0];
  const fits = sizeBytes <= limitBytes && base64Bytes(largest?.size ?? 0) <= largestSecretBytes;
  const isWanted = conf.get(stagingTransport) === "secret";
  if (fits) {
    const small = `with ${sizeBytes} bytes as base64 they are not above ${key} (${limitBytes})`;
    return success({ transport: "secret", reason: isWanted ? `${stagingTransport.key} says so` : small });
  }
  return failure("SUBMIT_ERR_STAGING_TOO_LARGE", {
    ...{ key, sizeBytes, limitBytes, largestSecretBytes },
    largest: largest?.path ?? "",
    serverKey: stagingServer.key,
    uploadPathKey: fileUploadPath.key,
  });
}

/** Of the base64 in one Secret. The API takes 1 MiB of bytes, and etcd 1.5 MiB of a whole request. */
export const largestSecretBytes = 1024 * 1024;

/** What the entries take in Secrets, in bytes of base64; the same content counts once. */
export function secretBytes(entries: readonly LocalizedEntry[]): number {
  const sizes = new Map(entries.map(({ digest, size }): [Digest, number] => [digest, size]));
  return [...sizes.values()].reduce((sum, size) => sum + base64Bytes(size), 0);
}

/** What bytes take as base64. */
export function base64Bytes(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
