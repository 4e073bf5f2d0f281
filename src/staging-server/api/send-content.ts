import { parseRange } from "../../http/range.ts";
import { writePiece } from "../../http/serve.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { hexOf } from "../store/layout.ts";
import { type ApiCall, type ApiResponse, header } from "./call.ts";

const pieceBytes = 256 * 1024;
/** Far longer than a slow connection needs for a piece. A client that stops reading must not keep the content open. */
const pieceTimeoutMs = 300_000;

/**
 * Sends a content or the requested range of it. Keeps the content open, so that a concurrent removal does not cut the response.
 *
 * Returns a response without a body, or `undefined` after the content was sent.
 *
 * @throws Problem RANGE_NOT_SATISFIABLE; the problem of `notFound` if the content does not exist
 */
export async function sendContent(
  scope: ServerScope,
  call: ApiCall,
  { digest, notFound }: { readonly digest: Digest; readonly notFound: () => Problem | Promise<Problem> },
): Promise<ApiResponse | undefined> {
  const etag = `"${digest}"`;
  const reader = await scope.store.blobs.open(digest);
  if (reader === undefined) throw await notFound();
  try {
    if (matchesEtag(header(call, "if-none-match"), etag)) return { status: 304, headers: { etag } };
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
      if (piece.length === 0) throw new Error(`the content ${digest} became shorter while it was read`);
      scope.metrics.sent(piece.length);
      if (!(await writePiece(call.response, piece, { clock: scope.host.clock, ms: pieceTimeoutMs }))) return undefined;
    }
    call.response.end();
    return undefined;
  } finally {
    await reader.close();
  }
}

function matchesEtag(condition: string | undefined, etag: string): boolean {
  const etags = (condition ?? "").split(",").map((text) => text.trim().replace(/^W\//, ""));
  return etags.includes(etag) || etags.includes("*");
}
