import {
  stagingRemoteFiles,
  stagingSecretMaxSize,
  stagingServer,
  stagingTransport,
} from "../../conf/entries/localizing.ts";
import { fileUploadPath } from "../../conf/entries/staging.ts";
import { issue } from "../../errors/issue.ts";
import type { Digest } from "../../values/staged-entry.ts";
import type { LocalizedEntry } from "./localized-entry.ts";
import type { TransportInput, TransportRule } from "./transport-rule.ts";

/** Transport in Secrets that the driver mounts. */
export const secretRule: TransportRule = {
  description: "in Secrets",
  entries: [stagingSecretMaxSize],
  reason(input) {
    const { key } = stagingSecretMaxSize;
    const { sizeBytes, limitBytes, fits } = measure(input);
    // The volume of an init container is writable; a volume of Secrets is not.
    if (input.hasRemoteFiles) return undefined;
    return fits ? `their ${sizeBytes} bytes of base64 do not exceed ${key} (${limitBytes})` : undefined;
  },
  check(input) {
    if (input.hasRemoteFiles)
      return [
        issue("SUBMIT_ERR_STAGING_REMOTE_FILES", { key: stagingRemoteFiles.key, transportKey: stagingTransport.key }),
      ];
    const { sizeBytes, limitBytes, fits, largest = "" } = measure(input);
    if (fits) return [];
    const { key } = stagingSecretMaxSize;
    const alternatives = { serverKey: stagingServer.key, uploadPathKey: fileUploadPath.key };
    const sizes = { sizeBytes, limitBytes, maxBytesPerSecret, largest };
    return [issue("SUBMIT_ERR_STAGING_TOO_LARGE", { key, ...sizes, ...alternatives })];
  },
};

/** Maximum size of the base64 in one Secret, in bytes. The API accepts 1 MiB of data, and etcd 1.5 MiB per request. */
export const maxBytesPerSecret = 1024 * 1024;

function measure({ conf, entries }: TransportInput) {
  const limitBytes = conf.get(stagingSecretMaxSize);
  const sizeBytes = secretBytes(entries);
  const largest = [...entries].sort((a, b) => b.size - a.size)[0];
  const fits = sizeBytes <= limitBytes && base64Bytes(largest?.size ?? 0) <= maxBytesPerSecret;
  return { limitBytes, sizeBytes, fits, largest: largest?.path };
}

/** Computes the size of the entries in Secrets, in bytes of base64; equal contents count once. */
function secretBytes(entries: readonly LocalizedEntry[]): number {
  const sizes = new Map(entries.map(({ digest, size }): [Digest, number] => [digest, size]));
  return [...sizes.values()].reduce((sum, size) => sum + base64Bytes(size), 0);
}

/** Computes the size of the base64 of a number of bytes. */
export function base64Bytes(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
