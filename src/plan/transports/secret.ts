import { stagingSecretMaxSize, stagingServer } from "../../conf/entries/localizing.ts";
import { fileUploadPath } from "../../conf/entries/staging.ts";
import { issue } from "../../errors/issue.ts";
import type { Digest } from "../../values/staged-entry.ts";
import type { LocalizedEntry } from "./localized-entry.ts";
import type { TransportInput, TransportRule } from "./transport-rule.ts";

/** Secrets that the driver mounts. */
export const secretRule: TransportRule = {
  way: "in Secrets",
  entries: [stagingSecretMaxSize],
  reason(cargo) {
    const { key } = stagingSecretMaxSize;
    const { sizeBytes, limitBytes, fits } = measure(cargo);
    return fits ? `with ${sizeBytes} bytes as base64 they are not above ${key} (${limitBytes})` : undefined;
  },
  check(cargo) {
    const { sizeBytes, limitBytes, fits, largest = "" } = measure(cargo);
    if (fits) return [];
    const { key } = stagingSecretMaxSize;
    const ways = { serverKey: stagingServer.key, uploadPathKey: fileUploadPath.key };
    const sizes = { sizeBytes, limitBytes, maxBytesPerSecret, largest };
    return [issue("SUBMIT_ERR_STAGING_TOO_LARGE", { key, ...sizes, ...ways })];
  },
};

/** Of the base64 in one Secret. The API takes 1 MiB of bytes, and etcd 1.5 MiB of a whole request. */
export const maxBytesPerSecret = 1024 * 1024;

function measure({ conf, entries }: TransportInput) {
  const limitBytes = conf.get(stagingSecretMaxSize);
  const sizeBytes = secretBytes(entries);
  const largest = [...entries].sort((a, b) => b.size - a.size)[0];
  const fits = sizeBytes <= limitBytes && base64Bytes(largest?.size ?? 0) <= maxBytesPerSecret;
  return { limitBytes, sizeBytes, fits, largest: largest?.path };
}

/** What the entries take in Secrets, in bytes of base64; the same content counts once. */
function secretBytes(entries: readonly LocalizedEntry[]): number {
  const sizes = new Map(entries.map(({ digest, size }): [Digest, number] => [digest, size]));
  return [...sizes.values()].reduce((sum, size) => sum + base64Bytes(size), 0);
}

/** What bytes take as base64. */
export function base64Bytes(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
