import { createHash } from "node:crypto";
import { cpuOf, peakOf } from "./measure.ts";
import { askJson, ours, send, type Target } from "./staging-targets.ts";

/** What many uploads at once came to. */
export interface ManyUploads {
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

/** Contents that differ in their first bytes, and share the memory of all others. */
export function contents(count: number, size: number): readonly Content[] {
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

/** Uploads all contents at the same time to a server in an empty folder. */
export async function uploadTogether(target: Target, directory: string, all: readonly Content[]): Promise<ManyUploads> {
  const server = await target.start(directory);
  try {
    const upload = target === ours ? uploadToOurs : uploadToBare;
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

async function uploadToOurs(port: number, { pieces, hex, size }: Content): Promise<void> {
  const about = { namespace: "team", digest: `sha256:${hex}`, size };
  const { uploadId } = await askJson(port, "POST", "/api/v1/uploads", about);
  const path = `/api/v1/uploads/${uploadId}`;
  await send(port, { method: "PATCH", path, headers: { "upload-offset": 0 } }, pieces);
  await send(port, { method: "POST", path: `${path}:commit` });
}

async function uploadToBare(port: number, { pieces, hex }: Content): Promise<void> {
  const got = await send(port, { method: "PUT", path: `/${hex}` }, pieces);
  if (got !== hex) throw new Error(`${got} came instead of ${hex}`);
}
