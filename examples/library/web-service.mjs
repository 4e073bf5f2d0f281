/**
 * Serves applications over HTTP. It has no login: let only trusted programs reach it.
 *
 *     POST   /applications         {"args": ["…"]}: submits; returns the ID
 *     GET    /applications/ID      status
 *     GET    /applications/ID/log  log, until the application ends
 *     DELETE /applications/ID      kills
 *
 *     APP=local:///opt/app.py PORT=8080 node --use-openssl-ca web-service.mjs
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { Firesteel, FiresteelError } from "firesteel";

const firesteel = new Firesteel();
const { APP: app, PORT: port = "8080" } = process.env;

async function serve(request, response, signal) {
  const [, collection, id, part] = new URL(request.url, "http://localhost").pathname.split("/").map(decodeURIComponent);
  if (collection !== "applications") return send(response, 404, {});
  if (request.method === "POST") {
    const { args = [] } = await json(request);
    const application = await firesteel.submit({ app, args, signal });
    return send(response, 202, { id: application.id });
  }
  const application = await firesteel.application(id, { signal });
  if (request.method === "DELETE") return send(response, 200, { killed: await application.kill({ signal }) });
  if (part !== "log") return send(response, 200, await application.status({ signal }));
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  for await (const line of application.logs({ signal }))
    if (!response.write(`${line}\n`)) await once(response, "drain", { signal });
  response.end();
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  // A client that goes away ends its calls.
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  serve(request, response, gone.signal).catch((error) => {
    if (response.headersSent || gone.signal.aborted) return response.destroy();
    if (error instanceof SyntaxError) return send(response, 400, { error: "The body is not JSON." });
    if (!(error instanceof FiresteelError)) return send(response, 500, { error: "Internal error" });
    const status = error.code === "SUBMIT_ERR_DRIVER_MISSING" ? 404 : error.isRetryable ? 503 : 422;
    return send(response, status, { code: error.code, error: error.message });
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await firesteel.close();
});
