import { createServer, type IncomingHttpHeaders, request as startRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { startIssuer } from "./oidc-issuer.ts";

/** Starts a proxy that serves a gateway below `/portal`. It removes this path, and sends the address of the gateway as `Host`. */
async function startProxy(): Promise<{ readonly url: string; readonly forwardTo: (gateway: string) => void }> {
  let target = "";
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    const forwarded = { ...headers, host: new URL(target).host };
    const path = new URL(target).origin + url.replace(/^\/portal/, "");
    const sent = startRequest(path, { method, headers: forwarded }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    forwardTo(gateway) {
      target = gateway;
    },
  };
}

/** Opens an address as a browser without `Sec-Fetch-Mode` does. @returns the headers of the response */
function navigate(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const sent = startRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.headers);
    });
    sent.on("error", reject).end();
  });
}

test("behind a proxy that changes path and Host, all addresses are those of --external-url", async () => {
  const proxy = await startProxy();
  const root = `${proxy.url}/portal/spark`;
  const gateway = await startGateway("--prefix", "/spark", "--external-url", root);
  proxy.forwardTo(gateway.url);
  const send = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
    gateway.send(method, path, { to: root, headers, ...(body !== undefined && { body }) });
  const redirect = await fetch(`${root}/`, { redirect: "manual" });
  expect(redirect.headers.get("location")).toBe("/portal/spark/ui");
  expect((await send("GET", "/ui")).text).toContain("<title>");
  const batch = { file: "local:///opt/app.jar", className: "Main" };
  const created = await send("POST", "/batches", batch);
  expect([created.status, created.headers.get("location")]).toEqual([201, "/portal/spark/batches/0"]);
  const application = { name: "pi", app: "local:///opt/app.jar", class: "Main" };
  const submitted = await send("POST", "/api/v1/applications", application, { origin: proxy.url });
  expect(submitted.status).toBe(201);
  const location = submitted.headers.get("location") ?? "";
  expect(location).toBe(`/portal/spark/api/v1/applications/${submitted.json["key"]}`);
  expect((await fetch(`${proxy.url}${location}`)).status).toBe(200);
  expect((await send("DELETE", "/batches/0", undefined, { origin: "http://evil.example" })).status).toBe(403);
});

test("a login behind a proxy with TLS returns to its address, with a cookie for HTTPS only", async () => {
  const issuer = await startIssuer();
  const oidc = ["--auth", "oidc", "--oidc-issuer-url", issuer.url, "--oidc-client-id", "gateway"];
  const gateway = await startGateway(...oidc, "--external-url", "https://portal.example/spark");
  const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", accept: "text/html" };
  const page = await navigate(`${gateway.url}/ui?a=b`, headers);
  expect(page.location).toBe(`/spark/oidc/login?target=${encodeURIComponent("/ui?a=b")}`);
  const login = await navigate(`${gateway.url}/oidc/login`, headers);
  expect(login["set-cookie"]).toEqual([expect.stringMatching(/^__Host-firesteel-login=[\w-]+; .*; Secure$/)]);
  const { origin, searchParams } = new URL(login.location ?? "");
  expect([origin, searchParams.get("redirect_uri")]).toEqual([
    issuer.url,
    "https://portal.example/spark/oidc/callback",
  ]);
  expect(searchParams.get("code_challenge_method")).toBe("S256");
  expect(searchParams.get("scope")).toBe("openid profile email");
});
