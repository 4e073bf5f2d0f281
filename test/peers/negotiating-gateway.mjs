// REST gateway of a standalone cluster that accepts only valid tickets for HTTP/localhost. Arguments: its host, and `forge` to return a
// wrong proof of its identity. Prints its port, then the user of each accepted request, with its method and path.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , host, forge] = process.argv;
const { initializeServer } = createRequire(join(process.env.NODE_PATH, "none.js"))("kerberos");

const actions = { create: "CreateSubmissionResponse", kill: "KillSubmissionResponse" };

createServer(async (request, response) => {
  for await (const _ of request);
  const [, token] = /^Negotiate (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const accepted = token === undefined ? undefined : await accept(token);
  if (accepted === undefined) {
    response.writeHead(401, { "www-authenticate": "Negotiate", "content-type": "text/html" }).end("<html>no</html>");
    return;
  }
  console.log(`${accepted.username} ${request.method} ${request.url}`);
  const proof = forge === "forge" ? Buffer.from("forged").toString("base64") : accepted.response;
  const [, , , action = ""] = request.url.split("/");
  const reply = {
    action: actions[action] ?? "SubmissionStatusResponse",
    ...{ message: "", serverSparkVersion: "4.3.0", submissionId: "driver-20260101000000-0000", success: true },
    ...(action === "status" ? { driverState: "FINISHED" } : {}),
  };
  response.writeHead(200, { "www-authenticate": `Negotiate ${proof}`, "content-type": "application/json" });
  response.end(JSON.stringify(reply));
}).listen(0, host, function started() {
  console.log(`port ${this.address().port}`);
});

async function accept(token) {
  try {
    const server = await initializeServer("HTTP@localhost");
    await server.step(token);
    return server;
  } catch {
    return undefined;
  }
}
