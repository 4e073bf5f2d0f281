import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { readSecretFile } from "./read-secret-file.ts";

/** Values that clients keep, such as sessions: only gateways with the same key can read or create them. */
export interface SealedValues {
  /** Encrypts a value as text for URLs and cookies. A purpose separates values of different kinds. */
  readonly seal: (purpose: string, value: unknown, lifetimeMs: number) => string;
  /** Returns a value; `undefined` if the text is not one of this purpose, or has expired. */
  readonly open: (purpose: string, text: string) => unknown;
}

const cipher = "aes-256-gcm";
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];
/** Length of a key file, in bytes. */
const minKeyBytes = 32;

/**
 * Opens the values of a gateway. Without a key file, they are valid until the gateway ends.
 *
 * @throws SubmitError SUBMIT_ERR_GATEWAY_FILE
 */
export function openSealedValues(host: Pick<Host, "clock" | "files" | "random">, keyFile?: string): SealedValues {
  const secret = keyFile === undefined ? host.random.bytes(keyBytes) : readKey(host, keyFile);
  return sealedValues(host, Buffer.from(hkdfSync("sha256", secret, "", "firesteel gateway", keyBytes)));
}

function readKey({ files }: Pick<Host, "files">, path: string): Uint8Array {
  const option = "--session-key-file";
  const key = Buffer.from(readSecretFile(files, option, path));
  if (key.length >= minKeyBytes) return key;
  throw submitError("SUBMIT_ERR_GATEWAY_FILE", { option, path, reason: `it has less than ${minKeyBytes} bytes` });
}

function sealedValues({ clock, random }: Pick<Host, "clock" | "random">, key: Uint8Array): SealedValues {
  return {
    seal(purpose, value, lifetimeMs) {
      const nonce = random.bytes(nonceBytes);
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(purpose));
      const text = JSON.stringify({ expiresMs: clock.now() + lifetimeMs, value });
      const encrypted = [encryption.update(text, "utf8"), encryption.final()];
      return Buffer.concat([nonce, ...encrypted, encryption.getAuthTag()]).toString("base64url");
    },
    open(purpose, text) {
      const decrypted = decrypt(key, purpose, Buffer.from(text, "base64url"));
      if (decrypted === undefined) return undefined;
      const { expiresMs, value } = JSON.parse(decrypted);
      return clock.now() < expiresMs ? value : undefined;
    },
  };
}

function decrypt(key: Uint8Array, purpose: string, bytes: Buffer): string | undefined {
  if (bytes.length <= nonceBytes + tagBytes) return undefined;
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decryption.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decryption.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
