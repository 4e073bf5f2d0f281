/**
 * What a staging server is measured against: node:http alone that does the same with a file. It is written beside its place with its
 * SHA-256, synced, and given its name, which is synced, too; then it is sent.
 *
 *     node scripts/bench/bare-server.mjs FOLDER
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
  const work = request.method === "PUT" ? take(request, response, path) : give(response, path);
  work.catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => process.stderr.write(`started on port ${server.address().port}.\n`));

async function take(request, response, path) {
  const file = await open(`${path}.tmp`, "w", 0o600);
  const hash = createHash("sha256");
  for await (const piece of request) {
    await file.write(piece);
    hash.update(piece);
  }
  await file.datasync();
  await file.close();
  await rename(`${path}.tmp`, path);
  const names = await open(directory);
  await names.sync();
  await names.close();
  response.writeHead(201).end(hash.digest("hex"));
}

async function give(response, path) {
  const { size } = await stat(path);
  response.writeHead(200, { "content-length": size });
  await pipeline(createReadStream(path), response);
}
