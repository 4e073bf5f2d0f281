import { parseRange } from "../../http/range.ts";
import { writePiece } from "../../http/serve.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { Problem } from "../problem.ts";
import type { ServerScope } from "../scope.ts";
import { hexOf } from "../store/layout.ts";
import { type ApiCall, type ApiResponse, header } from "./call.ts";

const pieceBytes = 256 * 1024;

/**
 * Sends a content, or the part of it that is asked for. Once it is open it can be read to its end, whatever is removed
 * meanwhile.
 *
 * @returns the answer where nothing is to be sent; `undefined` where all was
 * @throws Problem RANGE_NOT_SATISFIABLE; `gone` when the content is not there any more
 */
export async function sendContent(
  scope: ServerScope,
  call: ApiCall,
  { digest, gone }: { readonly digest: Digest; readonly gone: () => Problem | Promise<Problem> },
): Promise<ApiResponse | undefined> {
  const etag = `"${digest}"`;
  const reader = await scope.store.blobs.open(digest);
  if (reader === undefined) throw await gone();
  try {
    if (isNamed(header(call, "if-none-match"), etag)) return { status: 304, headers: { etag } };
    const size = reader.sizeBytes;
    const condition = header(call, "if-range");
    const requested = condition === undefined || condition === etag ? header(call, "range") : undefined;
    const range = parseRange(requested, size);
    if (range.kind === "none") {
      const headers = { "content-range": `bytes */${size}` };
      throw new Problem("RANGE_NOT_SATISFIABLE", `The content has ${size} bytes.`, { headers });
    }
    const [start, end] = range.kind === "part" ? [range.start, range.end] : [0, size];
    const sha = Buffer.from(hexOf(digest), "hex").toString("base64");
    call.response.writeHead(range.kind === "part" ? 206 : 200, {
      "content-type": "application/octet-stream",
      "content-length": end - start,
      "accept-ranges": "bytes",
      etag,
      digest: `sha-256=${sha}`,
      "repr-digest": `sha-256=:${sha}:`,
      ...(range.kind === "part" && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
    });
    for (let offset = start; offset < end; offset += pieceBytes) {
      const piece = await reader.read(offset, Math.min(pieceBytes, end - offset));
      if (piece.length === 0) throw new Error(`the content ${digest} is shorter than it was`);
      scope.metrics.sent(piece.length);
      if (!(await writePiece(call.response, piece))) return undefined;
    }
    call.response.end();
    return undefined;
  } finally {
    await reader.close();
  }
}

function isNamed(condition: string | undefined, etag: string): boolean {
  const named = (condition ?? "").split(",").map((text) => text.trim().replace(/^W\//, ""));
  return named.includes(etag) || named.includes("*");
}
