import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { start, temporaryDirectory, withSpark } from "./programs.ts";

const hash = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";
const embedded = ["--cluster", "embedded", "--port", "0", "--conf", "spark.kubernetes.container.image=spark"];

test("a gateway with a password file and a livy.conf serves its users only", async () => {
  const directory = temporaryDirectory();
  const path = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const conf =
    "livy.server.access-control.enabled true\nlivy.server.access-control.allowed-users alice\nlivy.unknown 1\n";
  const options = ["--auth", "htpasswd", "--password-file", path("users", `alice:${hash}\nmallory:${hash}\n`)];
  const properties = ["--properties-file", path("livy.conf", conf)];
  const gateway = gatewayIn(directory, [...options, ...properties, "--metrics-port", "0"]);
  const url = await gateway.url();
  const get = async (user: string, at = "/batches") => {
    const credentials = Buffer.from(`${user}:secret`).toString("base64");
    const { status } = await fetch(`${url}${at}`, { headers: { authorization: `Basic ${credentials}` } });
    return status;
  };
  expect([await get("alice"), await get("mallory"), await get("bob")]).toEqual([200, 403, 401]);
  expect((await fetch(`${url}/batches`)).headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  const metricsUrl = `http://127.0.0.1:${/^Metrics on port (\d+)$/m.exec(gateway.stderr())?.[1]}`;
  expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toContain("firesteel_gateway_");
  const statuses = ["/readyz", "/batches", "/"].map(async (at) => (await fetch(`${metricsUrl}${at}`)).status);
  expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
  expect(gateway.stderr()).toContain("Warning: livy.unknown is not known: it changes nothing.");
  expect(await gateway.stop()).toMatchObject({ exit: 0 });
  expect(gateway.stderr() + gateway.stdout()).not.toMatch(/secret|5en6G6/);
});

test("a gateway without authentication rejects other host names, limits requests, and logs changes", async () => {
  const gateway = gatewayIn(temporaryDirectory(), ["--user-concurrent", "1", "--allowed-hosts", "gateway.example"]);
  const { port } = new URL(await gateway.url());
  const send = (host: string, method = "GET", path = "/batches", body = "") =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, "content-type": "application/json" };
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      sent.on("error", reject).end(body);
    });
  expect(await send("public.example:8998")).toBe(403);
  const batch = JSON.stringify({ file: "local:///opt/app.jar", className: "Main", conf: { "spark.x": "hidden" } });
  expect(await send("localhost", "POST", "/batches", batch)).toBe(201);
  expect(await send(`gateway.example:${port}`, "DELETE", "/batches/0")).toBe(200);
  const stream = request({ host: "127.0.0.1", port, path: "/api/v1/changes", agent: false }).end();
  await new Promise((resolve) => stream.once("response", resolve));
  expect(await send("127.0.0.1")).toBe(429);
  expect(await send("127.0.0.1", "GET", "/healthz")).toBe(200);
  stream.destroy();
  await gateway.stop();
  const lines = gateway
    .stdout()
    .split("\n")
    .filter((line) => line.includes('"text":"audit"'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: "submit", protocol: "livy", key: "livy-0", result: "accepted" },
    { action: "remove", key: "livy-0", result: "accepted" },
  ]);
  expect(gateway.stdout()).not.toContain("hidden");
});

test("a gateway that other machines can reach does not start without --auth", async () => {
  const { exit, stderr } = await gatewayIn(temporaryDirectory(), ["--host", "0.0.0.0", "--keep", "long"]).ended;
  expect(exit).toBe(1);
  expect(stderr).toContain("The gateway does not start without authentication: other machines can reach 0.0.0.0.");
  expect(stderr).toContain("Invalid value 'long' for --keep");
});

/** Starts a gateway on its own embedded cluster. */
function gatewayIn(directory: string, options: readonly string[]) {
  const { child, ended } = start("firesteel", ["gateway", ...embedded, ...options], {
    env: withSpark({ HOME: directory }),
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      printed[name] += chunk;
    });
  const started = new Promise<string>((resolve, reject) => {
    child.stderr.on("data", () => {
      const [, url] = /Gateway started on (\S+)/.exec(printed.stderr) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.on("close", () => reject(new Error(printed.stderr)));
  });
  started.catch(() => {});
  const stop = async () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { url: () => started, stdout: () => printed.stdout, stderr: () => printed.stderr, ended, stop };
}
