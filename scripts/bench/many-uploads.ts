import { createHash } from "node:crypto";
import { cpuOf, peakOf } from "./measure.ts";
import { requestJson, send, stagingServer, type Target } from "./staging-targets.ts";

/** Measurements of concurrent uploads. */
export interface UploadResult {
  readonly name: string;
  readonly mibPerSecond: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

interface Content {
  readonly pieces: readonly Uint8Array[];
  readonly hex: string;
  readonly size: number;
}

const pieceBytes = 64 * 1024;

/** Makes contents that differ in their first bytes and share the memory of the other bytes. */
export function makeContents(count: number, size: number): readonly Content[] {
  const rest = Buffer.alloc(pieceBytes, "firesteel");
  return Array.from({ length: count }, (_, index) => {
    const first = Buffer.from(rest);
    first.writeUInt32LE(index);
    const pieces = [first];
    while (pieces.length * pieceBytes < size) pieces.push(rest);
    const hash = createHash("sha256");
    for (const piece of pieces) hash.update(piece);
    return { pieces, hex: hash.digest("hex"), size: pieces.length * pieceBytes };
  });
}

/** Uploads all contents concurrently to a new server with an empty directory. */
export async function uploadConcurrently(
  target: Target,
  directory: string,
  all: readonly Content[],
): Promise<UploadResult> {
  const server = await target.start(directory);
  try {
    const upload = target === stagingServer ? uploadToStaging : uploadToBare;
    const [cpu, start] = [cpuOf(server.pid), performance.now()];
    await Promise.all(all.map((content) => upload(server.port, content)));
    const seconds = (performance.now() - start) / 1000;
    const bytes = all.reduce((sum, { size }) => sum + size, 0);
    return {
      name: target.name,
      mibPerSecond: bytes / 1024 / 1024 / seconds,
      cpuSeconds: (cpuOf(server.pid) - cpu) / 1000,
      peakMiB: peakOf(server.pid) / 1024,
    };
  } finally {
    await server.stop();
  }
}

async function uploadToStaging(port: number, { pieces, hex, size }: Content): Promise<void> {
  const upload = { namespace: "team", digest: `sha256:${hex}`, size };
  const { uploadId } = await requestJson(port, "POST", "/api/v1/uploads", upload);
  const path = `/api/v1/uploads/${uploadId}`;
  await send(port, { method: "PATCH", path, headers: { "upload-offset": 0 } }, pieces);
  await send(port, { method: "POST", path: `${path}:commit` });
}

async function uploadToBare(port: number, { pieces, hex }: Content): Promise<void> {
  const storedHex = await send(port, { method: "PUT", path: `/${hex}` }, pieces);
  if (storedHex !== hex) throw new Error(`The server stored SHA-256 ${storedHex} instead of ${hex}.`);
}
