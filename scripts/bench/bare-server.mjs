/**
 * Reference server for the staging server's benchmark: node:http alone stores a file as durably. It hashes the file (SHA-256), writes it
 * under a temporary name, syncs and renames it, and syncs the directory.
 *
 *     node scripts/bench/bare-server.mjs DIR
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const [, , directory = "."] = process.argv;

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  const path = join(directory, encodeURIComponent(request.url ?? ""));
  const work = request.method === "PUT" ? store(request, response, path) : serve(response, path);
  work.catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => process.stderr.write(`started on port ${server.address().port}.\n`));

async function store(request, response, path) {
  const file = await open(`${path}.tmp`, "w", 0o600);
  const hash = createHash("sha256");
  for await (const piece of request) {
    await file.write(piece);
    hash.update(piece);
  }
  await file.datasync();
  await file.close();
  await rename(`${path}.tmp`, path);
  const parent = await open(directory);
  await parent.sync();
  await parent.close();
  response.writeHead(201).end(hash.digest("hex"));
}

async function serve(response, path) {
  const { size } = await stat(path);
  response.writeHead(200, { "content-length": size });
  await pipeline(createReadStream(path), response);
}
