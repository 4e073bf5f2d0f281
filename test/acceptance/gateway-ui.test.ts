import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { SparkConf } from "../../src/conf/spark-conf.ts";
import { openAuthentication } from "../../src/gateway/authentication/open-authentication.ts";
import { gatewaySettings } from "../../src/gateway/gateway-settings.ts";
import { openGateway } from "../../src/gateway/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { root } from "../architecture/sources.ts";
import { describeWith } from "../test-with.ts";
import { startBrowser } from "./browser.ts";
import { call, startApi } from "./embedded-api.ts";
import { driversIn, eventually, setStatus } from "./gateway-cluster.ts";
import { temporaryDirectory } from "./programs.ts";

const running = {
  phase: "Running",
  containerStatuses: [
    {
      ...{ name: "spark-kubernetes-driver", image: "spark", imageID: "", restartCount: 0, ready: true },
      state: { running: { startedAt: "2026-01-01T00:00:01Z" } },
    },
  ],
};
const alice = { username: "alice", password: "secret" };
const basic = { authorization: `Basic ${Buffer.from("alice:secret").toString("base64")}` };
const conf = new SparkConf([], { text: "4.3.0", line: "4.3" }, { env: {}, defaults: () => undefined });
/** Requests that reached the driver. */
const received: {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
}[] = [];

let directory: string;
let cluster: EmbeddedCluster;
let driver: Server;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-ui-"));
  cluster = await startApi(directory);
  driver = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    for await (const piece of request) body += piece;
    received.push({ method, url, headers, body });
    const base = headers["x-forwarded-context"];
    const location = method === "POST" ? { location: "http://driver/jobs/" } : {};
    const replyHeaders = { "set-cookie": "driver=1", "content-type": "text/html", ...location };
    response.writeHead(method === "POST" ? 302 : 200, replyHeaders);
    response.end(
      `<h1>Spark Jobs</h1><a href="${base}/stages/">Stages</a>
      <form method="post" action="${base}/jobs/job/kill/"><input name="id" value="3"><button>kill</button></form>`,
    );
  });
  await new Promise<void>((resolve) => driver.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  driver.close();
  driver.closeAllConnections();
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

function portOf(server: Server): number {
  const address = server.address();
  return (typeof address === "object" ? address?.port : undefined) ?? 0;
}

/** Starts a gateway for the user alice, with a port for Spark UIs. Pods have the UI of `driver`. */
async function startGateway(options: Readonly<Record<string, string>> = {}) {
  const passwords = join(temporaryDirectory(), "users");
  writeFileSync(passwords, "alice:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  const htpasswd = { "--auth": "htpasswd", "--password-file": passwords };
  const merged = { "--port": "0", "--ui-port": "0", ...(options["--auth"] === undefined && htpasswd), ...options };
  const values = new Map(Object.entries(merged));
  const host = { ...nodeHost(), stdout: { write: () => {}, isTerminal: false, columns: 80 } };
  const { settings: own } = gatewaySettings(
    host,
    { has: () => false, value: (name) => values.get(name) },
    { defaults: new Map(), properties: new Map() },
  );
  const namespaces = { ownNamespace: "default", namespace: "default", namespaces: ["default"] };
  const defaults = { "spark.kubernetes.container.image": "spark:4.3.0" };
  const settings = { ...own, ...namespaces, defaults };
  const { transport, url: server } = cluster;
  const client = {
    ...kubeClient({ transport, server, clock: host.clock, log: () => {}, requestTimeoutMs: 10_000 }),
    connectToPod: async () => connect(portOf(driver), "127.0.0.1"),
  };
  const gateway = await openGateway({
    ...{ host, client, settings, master: "k8s://https://127.0.0.1:6443", conf },
    ...(await openAuthentication({ host, client, settings })),
    dashboardDirectory: `${root}/dist/dashboard`,
  });
  onTestFinished(() => gateway.stop());
  const url = `http://127.0.0.1:${gateway.port}`;
  const send = (path: string, init: RequestInit = {}) =>
    fetch(path.startsWith("http") ? path : `${url}${path}`, { redirect: "manual", ...init });
  /** Starts an application, and waits until it runs. @returns its key */
  const startApplication = async (): Promise<string> => {
    const headers = { ...basic, "content-type": "application/json" };
    const body = JSON.stringify({ name: "pi", app: "local:///opt/app.jar", class: "Main" });
    const created = /"key": ?"([^"]+)"/.exec(
      await (await send("/api/v1/applications", { method: "POST", headers, body })).text(),
    );
    const key = created?.[1] ?? "";
    const show = async () => (await send(`/api/v1/applications/${key}`, { headers: basic })).text();
    const [, podName = ""] = /"podName": ?"([^"]+)"/.exec(await show()) ?? [];
    await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
    await setStatus(cluster, podName, running);
    await eventually(async () => (/"state": ?"running"/.test(await show()) ? true : undefined));
    return key;
  };
  return { url, uiUrl: `http://127.0.0.1:${gateway.uiPort}`, send, startApplication };
}

test("a user gets a ticket for one UI, and the driver gets no credentials", async () => {
  const { url, uiUrl, send, startApplication } = await startGateway();
  const [key, other] = [await startApplication(), await startApplication()];
  expect((await send(`/applications/${key}/ui/`)).status).toBe(401);
  const entry = await send(`/applications/${key}/ui/jobs/?id=1`, { headers: basic });
  const location = entry.headers.get("location") ?? "";
  expect(location).toMatch(new RegExp(`^${uiUrl}/${key}/[\\w-]{60,}/jobs/\\?id=1$`));
  received.length = 0;
  const page = await send(location, { headers: { ...basic, cookie: "firesteel-session=1" } });
  expect([page.status, page.headers.get("set-cookie")]).toEqual([200, null]);
  expect(received).toMatchObject([{ url: "/jobs/?id=1" }]);
  expect(received[0]?.headers).not.toHaveProperty("authorization");
  expect(received[0]?.headers).not.toHaveProperty("cookie");
  const base = new URL(location).pathname.replace(/\/jobs\/$/, "");
  expect(await page.text()).toContain(`href="${base}/stages/"`);
  const elsewhere = await send(location.replace(`/${key}/`, `/${other}/`));
  expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([
    302,
    `${url}/applications/${other}/ui/jobs/?id=1`,
  ]);
  expect((await send(`${uiUrl}/api/v1/applications`)).status).toBe(302);
  expect((await send(`${uiUrl}/ui`)).status).toBe(404);
});

test("a user who may not get pods gets no ticket", async () => {
  const { send } = await startGateway({ "--auth": "kubernetes" });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const { status } = await call<{ readonly status: { readonly token: string } }>(cluster, "POST", path, request);
  const headers = { authorization: `Bearer ${status.token}` };
  const reply = await send("/applications/api-0/ui/", { headers });
  expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining("cannot read applications")]);
});

test("an application without a UI has no ticket, and one that ends has no pages", async () => {
  const { send, startApplication } = await startGateway();
  expect((await send("/applications/api-99/ui/", { headers: basic })).status).toBe(404);
  const key = await startApplication();
  const location = (await send(`/applications/${key}/ui/`, { headers: basic })).headers.get("location") ?? "";
  await send(`/api/v1/applications/${key}`, { method: "DELETE", headers: basic });
  await eventually(async () => ((await send(location)).status === 404 ? true : undefined));
});

test("behind a proxy, the addresses are those of the options, whatever the headers say", async () => {
  const addresses = { "--external-url": "https://gateway.example/spark", "--ui-url": "https://ui.example" };
  const { uiUrl, send, startApplication } = await startGateway(addresses);
  const key = await startApplication();
  const headers = { ...basic, "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
  const entry = await send(`/applications/${key}/ui/`, { headers });
  expect(entry.headers.get("location")).toMatch(new RegExp(`^https://ui\\.example/${key}/`));
  const renewal = await send(`${uiUrl}/${key}/expired/jobs/`, { headers });
  expect(renewal.headers.get("location")).toBe(`https://gateway.example/spark/applications/${key}/ui/jobs/`);
});

describeWith("Chromium")("in a browser", {}, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function openPage(origin: string): Promise<Page> {
    const context = await browser.newContext({ httpCredentials: { ...alice, origin } });
    onTestFinished(() => context.close());
    return context.newPage();
  }

  test("the dashboard leads to the UI, whose links work, and which can end a job", async () => {
    const { url, uiUrl, startApplication } = await startGateway();
    const key = await startApplication();
    const page = await openPage(url);
    await page.goto(`${url}/ui#/applications/${key}`);
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: /Spark UI/ }).click({ modifiers: ["Control"] }),
    ]);
    await opened.getByRole("link", { name: "Stages" }).click();
    await opened.waitForURL(new RegExp(`^${uiUrl}/${key}/[^/]+/stages/$`));
    received.length = 0;
    await opened.getByRole("button", { name: "kill" }).click();
    await opened.waitForURL(new RegExp(`^${uiUrl}/${key}/[^/]+/jobs/$`));
    expect(received[0]).toMatchObject({ method: "POST", url: "/jobs/job/kill/", body: "id=3" });
  });

  test("the page of a driver can neither act as its reader nor read the UI of another application", async () => {
    const { url, startApplication } = await startGateway();
    const [own, other] = [await startApplication(), await startApplication()];
    const page = await openPage(url);
    await page.goto(`${url}/applications/${own}/ui/`);
    await page.getByText("Spark Jobs").waitFor();
    const target = `${url}/applications/${other}/ui/`;
    const tried = await page.evaluate<Readonly<Record<string, string>>>(`(async () => {
      const attempt = (action) => action().then(String, () => "failed");
      const credentials = "include";
      const read = await attempt(async () => (await fetch("${url}/api/v1/applications", { credentials })).text());
      const kill = await attempt(() => fetch("${url}/api/v1/applications/${other}/kill", { method: "POST", credentials }));
      const follow = await attempt(async () => (await fetch("${target}", { credentials })).text());
      const frame = document.createElement("iframe");
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
      frame.src = "${target}";
      document.body.append(frame);
      await loaded;
      const framed = frame.contentDocument?.body.textContent ?? "unreadable";
      const opened = window.open("${target}");
      for (;;) {
        if (opened.closed) return { read, kill, follow, framed, window: "lost" };
        try {
          if (opened.document.body?.textContent.includes("Spark Jobs")) return { window: "read" };
        } catch {}
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })()`);
    expect(tried).toEqual({ read: "failed", kill: "failed", follow: "failed", framed: "unreadable", window: "lost" });
  });
});
