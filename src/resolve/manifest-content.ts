import { inflateRawSync } from "node:zlib";

/** Manifest of a jar. */
export interface Manifest {
  /** `undefined` if the jar has none, or one that cannot be read. */
  readonly text?: string;
  /** Reason why the jar or its manifest cannot be read, e.g. `is not a jar`. */
  readonly problem?: string;
}

/**
 * Maximum size of a manifest, packed or not.
 *
 * Source: Java's default of jdk.jar.maxSignatureFileSize, which limits manifests of signed jars (JDK-8312489).
 */
export const maxManifestBytes = 16_000_000;

/** A manifest that is larger than the limit. */
export const tooLarge: Manifest = { problem: `has a manifest of more than ${maxManifestBytes} bytes` };

/** Methods of compression. Source: PKWARE APPNOTE 6.3.10, 4.4.5. */
const methods = { stored: 0, deflated: 8 } as const;

/** An entry of a zip archive, as its header describes it. */
interface PackedEntry {
  readonly flags: number;
  readonly method: number;
  /** Content; trailing bytes of a deflated content are ignored. */
  readonly packed: Buffer;
}

/** Unpacks a manifest up to the limit, whatever size its header states. */
export function manifestContent({ flags, method, packed }: PackedEntry): Manifest {
  if ((flags & 1) !== 0) return { problem: "has an encrypted manifest" };
  if (method === methods.stored) return { text: packed.toString("utf8") };
  if (method !== methods.deflated)
    return { problem: `has a manifest with the unsupported compression method ${method}` };
  try {
    return { text: inflateRawSync(packed, { maxOutputLength: maxManifestBytes }).toString("utf8") };
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? tooLarge : { problem: "has a damaged manifest" };
  }
}
