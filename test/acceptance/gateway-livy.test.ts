import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import type { Principal } from "../../src/gateway/http/gateway-request.ts";
import { gatewayListener } from "../../src/gateway/http/serve-gateway.ts";
import { unknownPaths } from "../../src/gateway/http/service-protocol.ts";
import { livyProtocol } from "../../src/gateway/livy/livy-protocol.ts";
import type { LivySettings } from "../../src/gateway/settings.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { type HttpServer, openHttpServer } from "../../src/http/serve.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { startApi } from "./embedded-api.ts";
import { driversIn, eventually, openGatewayApplications } from "./gateway-cluster.ts";

const directory = mkdtempSync(join(tmpdir(), "gateway-livy-"));
const defaults: LivySettings = {
  ...{ isCsrfProtected: false, isImpersonating: false, rejectedSettings: [], localDirectories: [], superusers: [] },
  ...{ listsOwnBatchesOnly: false, reusesNames: false, uiBasePath: "" },
};
const shared = {
  ...defaults,
  ...{ isImpersonating: true, superusers: ["admin"] },
  access: { allowedUsers: ["alice", "bob"], viewUsers: ["carol"], modifyUsers: ["dora"] },
};
const file = "local:///opt/app.jar";
let cluster: EmbeddedCluster;
let applications: OpenApplications;

beforeAll(async () => {
  cluster = await startApi(directory);
  applications = await openGatewayApplications(cluster);
});

afterAll(async () => {
  await applications.close();
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

describe("batches", () => {
  test("a batch is created, found by ID and name, listed and deleted with its driver", async () => {
    await withLivy(defaults, async (call) => {
      const created = await call("POST", "/batches", { file, className: "Main", name: "Größe 1/2" });
      expect(created).toMatchObject({
        status: 201,
        headers: {
          location: expect.stringMatching(/^\/batches\/\d+$/),
          "content-type": "application/json;charset=utf-8",
        },
        json: { name: "Größe 1/2", owner: null, proxyUser: null, state: "starting", log: ["stdout: "] },
      });
      const { id } = created.json;
      const byName = `/batches/${encodeURIComponent("Größe 1/2")}`;
      expect(await call("GET", `${byName}/state`)).toMatchObject({ status: 200, json: { id, state: "starting" } });
      const [driver] = await eventually(async () => {
        const found = (await driversIn(cluster)).filter(({ metadata }) =>
          metadata?.labels?.["spark-app-tag"]?.startsWith(`livy-batch-${id}-`),
        );
        return found.length > 0 ? found : undefined;
      });
      const tag = driver?.metadata?.labels?.["spark-app-tag"] ?? "";
      expect(tag).toMatch(/^livy-batch-\d+-[a-z0-9]{8}$/);
      expect(JSON.stringify(driver)).not.toContain("Größe");
      const appId = await eventually(async () => (await call("GET", `/batches/${id}`)).json.appId ?? undefined);
      expect(appId).toMatch(/^spark-/);
      expect((await call("GET", "/batches/?size=1000")).json.sessions.map(idOf)).toContain(id);
      expect(await call("DELETE", byName)).toMatchObject({ status: 200, json: { msg: "deleted" } });
      expect(await call("DELETE", `/batches/${id}`)).toMatchObject({
        ...{ status: 404, json: { msg: `Session '${id}' not found.` } },
      });
      await eventually(async () => ((await driversIn(cluster)).some(hasTag(tag)) ? undefined : true));
    });
  });

  test("a rejected request names every problem, and leaves neither a batch nor its name", async () => {
    await withLivy(defaults, async (call) => {
      const body = {
        file: "app.jar",
        numExecutors: "many",
        colour: "red",
        name: "rejected",
        jars: ["file:///etc/passwd"],
      };
      const { status, json } = await call("POST", "/batches", body);
      expect([status, json.msg]).toEqual([
        400,
        "Rejected, Reason: Path 'app.jar' is not absolute.; Local path /etc/passwd cannot be added to user sessions.; " +
          'The field "colour" is not known.; numExecutors must be an integer, but is "many".',
      ]);
      expect((await call("GET", "/batches/rejected")).status).toBe(404);
    });
  });

  test("settings that Spark rejects are rejected, too", async () => {
    await withLivy(defaults, async (call) => {
      const { status, json } = await call("POST", "/batches", { file, className: "Main", driverMemory: "lots" });
      expect([status, json.msg]).toEqual([400, expect.stringContaining("lots")]);
    });
  });

  test.each([
    ["truncated JSON", '{"file":', "application/json"],
    ["null", "null", "application/json"],
    ["a list", "[]", "application/json"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "application/json"],
    ["a form", "file=a.jar", "application/x-www-form-urlencoded"],
    ["deep JSON", `${"[".repeat(50_000)}`, "application/json"],
    ["an empty body", "", "application/json"],
  ])("%s is an invalid request", async (_, body, type) => {
    await withLivy(defaults, async (call) => {
      const { status, json } = await call("POST", "/batches", body, { "content-type": type });
      expect([status, json.msg]).toEqual([400, expect.stringMatching(/^Invalid request body: /)]);
    });
  });

  test("a repeated Idempotency-Key returns the same batch, and rejects another request", async () => {
    await withLivy(defaults, async (call) => {
      const headers = { "idempotency-key": "run-7" };
      const body = { file, className: "Main" };
      const all = await Promise.all(Array.from({ length: 5 }, () => call("POST", "/batches", body, headers)));
      expect(new Set(all.map(({ json }) => json.id)).size).toBe(1);
      expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
      expect((await call("POST", "/batches", { ...body, args: ["1"] }, headers)).status).toBe(422);
    });
  });

  test("a name of a batch that is known is rejected, and one of a batch that has ended can be reusable", async () => {
    const body = { file: "local:///no-class.jar", name: "daily" };
    await withLivy(defaults, async (call) => {
      const { json } = await call("POST", "/batches", body);
      // Without a main class, the submission fails.
      await eventually(async () =>
        (await call("GET", "/batches/daily/state")).json.state === "dead" ? true : undefined,
      );
      const msg = `Rejected, Reason: Duplicate session name: daily for session ${json.id}`;
      expect(await call("POST", "/batches", body)).toMatchObject({ status: 400, json: { msg } });
    });
    await withLivy({ ...defaults, reusesNames: true }, async (call) => {
      expect(await call("POST", "/batches", body)).toMatchObject({ status: 201 });
    });
  });

  test("the log of a submission that failed has its reason", async () => {
    await withLivy(defaults, async (call) => {
      const { json } = await call("POST", "/batches", { file: "local:///no-class.jar" });
      const path = `/batches/${json.id}`;
      await eventually(async () => ((await call("GET", `${path}/state`)).json.state === "dead" ? true : undefined));
      const log = (await call("GET", `${path}/log?size=-1`)).json;
      expect(log).toMatchObject({ id: json.id, from: 0, total: log.log.length });
      expect(log.log.slice(0, 3)).toEqual(["stdout: ", "\nstderr: ", "\nKubernetes Diagnostics: "]);
      expect(log.log[3]).toContain("Failed to get main class in JAR");
      expect((await call("GET", `${path}/log?from=1&size=1`)).json).toMatchObject({ from: 1, log: ["\nstderr: "] });
      expect((await call("GET", `${path}/log?from=100`)).json).toMatchObject({ from: 100, log: [] });
      expect((await call("GET", path)).json.log).toEqual(log.log.slice(-10));
    });
  });

  test("a list has pages and filters", async () => {
    await withLivy(defaults, async (call) => {
      const ids: number[] = [];
      for (const name of ["list-a", "list-b", "list-c"])
        ids.push((await call("POST", "/batches", { file, className: "Main", name })).json.id);
      const list = async (query: string) => (await call("GET", `/batches?${query}`)).json;
      const { total } = await list("size=0");
      expect((await list(`from=${total - 2}&size=1`)).sessions.map(idOf)).toEqual([ids[1]]);
      expect(await list("from=-1")).toEqual({ from: -1, total, sessions: [] });
      expect(await list("size=-1")).toEqual({ from: 0, total, sessions: [] });
      const named = await list("filter.name=list-a&filter.name=list-c&filter.state=starting");
      expect([named.total, named.sessions.map(idOf)]).toEqual([2, [ids[0], ids[2]]]);
      expect((await list("filter.name=list-a&filter.state=dead")).total).toBe(0);
      expect((await call("GET", "/batches?filter.state=done")).status).toBe(400);
      expect(await call("GET", "/batches?from=x")).toMatchObject({
        status: 400,
        json: { msg: 'For input string: "x"' },
      });
    });
  });

  test("creations beyond the limit get 429, until an earlier one is complete", async () => {
    await withLivy({ ...defaults, maxCreations: 1 }, async (call, port) => {
      const body = { file, className: "Main" };
      const earlier = request({ port, method: "POST", path: "/batches", headers: { expect: "100-continue" } });
      earlier.flushHeaders();
      // The server sends this when it reads the body.
      await once(earlier, "continue");
      expect(await call("POST", "/batches", body)).toMatchObject({
        status: 429,
        headers: { "retry-after": expect.stringMatching(/^\d+$/) },
        json: { msg: "Rejected, too many sessions are being created!" },
      });
      earlier.end("[]");
      await once(earlier, "response");
      expect((await call("POST", "/batches", body)).status).toBe(201);
    });
  });
});

describe("paths and methods", () => {
  test.each([
    ["PUT", "/batches/1", 405, "DELETE, GET, HEAD"],
    ["POST", "/batches/1", 405, "DELETE, GET, HEAD"],
    ["DELETE", "/batches", 405, "GET, HEAD, POST"],
    ["POST", "/batches/1/log", 405, "GET, HEAD"],
    ["DELETE", "/batches/1/state", 405, "GET, HEAD"],
    ["POST", "/version", 405, "GET, HEAD"],
    ["PATCH", "/sessions/1", 405, "DELETE, GET, HEAD"],
    ["GET", "/batches/1/statements", 404, undefined],
    ["GET", "/batches/1/", 404, undefined],
    ["GET", "/batches//state", 404, undefined],
    ["GET", "/sessions/1/nothing", 404, undefined],
  ])("%s %s is %i without a body", async (method, path, status, allow) => {
    await withLivy(defaults, async (call) => {
      const response = await call(method, path);
      expect([response.status, response.headers["allow"], response.text]).toEqual([status, allow, ""]);
    });
  });

  test.each(["/sessions/7", "/sessions/7/state", "/sessions/7/log", "/sessions/7/statements"])(
    "%s is a session that does not exist",
    async (path) => {
      await withLivy(defaults, async (call) => {
        expect(await call("GET", path)).toMatchObject({ status: 404, json: { msg: "Session '7' not found." } });
      });
    },
  );

  test("interactive sessions are not served", async () => {
    await withLivy(defaults, async (call) => {
      expect((await call("GET", "/sessions")).json).toEqual({ from: 0, total: 0, sessions: [] });
      expect(await call("POST", "/sessions", { kind: "pyspark" })).toMatchObject({ status: 501 });
    });
  });

  test("an ID above 32 bits is invalid, and a negative one a name", async () => {
    await withLivy(defaults, async (call) => {
      expect((await call("GET", "/batches/2147483648")).status).toBe(400);
      expect(await call("GET", "/batches/-1")).toMatchObject({ status: 404, json: { msg: "Session '-1' not found." } });
    });
  });

  test("a version of the API other than 0.1 is not acceptable, unless another type is", async () => {
    await withLivy(defaults, async (call) => {
      const status = async (accept: string) => (await call("GET", "/batches", undefined, { accept })).status;
      expect(await status("application/vnd.livy.v9.9+json")).toBe(406);
      expect(await status("application/vnd.livy.v0.1+json")).toBe(200);
      expect(await status("application/vnd.livy.v9.9+json, application/json")).toBe(200);
      expect(await status("text/html")).toBe(200);
    });
  });

  test("all paths and the location have the prefix", async () => {
    await withLivy(
      defaults,
      async (call) => {
        const { status, headers } = await call("POST", "/spark/batches", { file, className: "Main" });
        expect([status, headers["location"]]).toEqual([201, expect.stringMatching(/^\/spark\/batches\/\d+$/)]);
        expect((await call("GET", "/spark/version")).status).toBe(200);
        expect((await call("GET", "/batches")).status).toBe(404);
      },
      "/spark",
    );
  });

  test("CSRF protection requires the header X-Requested-By, which can be empty, for changes", async () => {
    await withLivy({ ...defaults, isCsrfProtected: true }, async (call) => {
      const rejected = await call("DELETE", "/batches/99999999");
      expect([rejected.status, rejected.headers["content-type"]]).toEqual([400, "text/html;charset=utf-8"]);
      expect(rejected.text).toContain("Missing Required Header for CSRF protection.");
      expect((await call("DELETE", "/batches/99999999", undefined, { "x-requested-by": "" })).status).toBe(404);
      expect((await call("GET", "/batches/99999999")).status).toBe(404);
    });
  });
});

describe("users", () => {
  test("owner, proxy user and permissions decide", async () => {
    await withLivy(shared, async (call) => {
      const as = (user: string) => ({ "x-test-user": user });
      const created = await call(
        "POST",
        "/batches?doAs=bob",
        { file, className: "Main", proxyUser: "carol" },
        as("admin"),
      );
      expect(created.json).toMatchObject({ owner: "admin", proxyUser: "bob" });
      const path = `/batches/${created.json.id}`;
      expect((await call("GET", path, undefined, as("mallory"))).status).toBe(403);
      expect((await call("GET", path, undefined, as("alice"))).json.log).toEqual([]);
      expect((await call("GET", path, undefined, as("bob"))).json.log).toEqual(["stdout: "]);
      expect(await call("GET", `${path}/log`, undefined, as("alice"))).toMatchObject({ status: 403, text: "" });
      expect((await call("GET", `${path}/log`, undefined, as("carol"))).status).toBe(200);
      expect((await call("GET", `${path}/log?doAs=alice`, undefined, as("admin"))).status).toBe(403);
      expect(await call("DELETE", path, undefined, as("carol"))).toMatchObject({ status: 403, text: "" });
      expect((await call("DELETE", path, undefined, as("bob"))).status).toBe(200);
    });
  });

  test("only superusers may impersonate", async () => {
    await withLivy(shared, async (call) => {
      const msg = "User 'alice' not allowed to impersonate 'bob'.";
      const alice = { "x-test-user": "alice" };
      const body = { file, className: "Main" };
      expect(await call("POST", "/batches?doAs=bob", body, alice)).toMatchObject({ status: 403, json: { msg } });
      expect(await call("POST", "/batches", { ...body, proxyUser: "bob" }, alice)).toMatchObject({
        status: 403,
        json: { msg },
      });
      expect(await call("GET", "/batches?doAs=bob", undefined, alice)).toMatchObject({ status: 403, json: { msg } });
      expect((await call("POST", "/batches", body, alice)).json).toMatchObject({ owner: "alice", proxyUser: "alice" });
    });
  });

  test("a list can be restricted to batches whose log the user may read", async () => {
    await withLivy({ ...shared, listsOwnBatchesOnly: true }, async (call) => {
      const list = async (user: string) =>
        (await call("GET", "/batches?size=1000&filter.name=mine", undefined, { "x-test-user": user })).json.total;
      await call("POST", "/batches", { file, className: "Main", name: "mine" }, { "x-test-user": "alice" });
      expect([await list("alice"), await list("bob"), await list("carol")]).toEqual([1, 0, 1]);
    });
  });
});

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads other fields
  readonly json: any;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

/** Serves the protocol of Livy as a gateway does. The header `x-test-user` names the authenticated user. */
async function withLivy(
  settings: LivySettings,
  use: (call: Call, port: number) => Promise<void>,
  prefix = "",
): Promise<void> {
  const { clock, random } = nodeHost();
  const principal = (user: string | undefined): Principal => ({ user, groups: [] });
  const rules = { rejectedSettings: [], localDirectories: [], defaultFileSystem: undefined, namespaces: ["default"] };
  const protocols = [
    livyProtocol({
      applications,
      settings,
      rules,
      random,
      uiRoot: prefix,
      apiRoot: prefix,
      links: () => ({}),
    }),
  ];
  const server: HttpServer = await openHttpServer({
    ...{ address: "127.0.0.1", port: 0, clock, healthPaths: [], onOverload: () => {} },
    respond: gatewayListener({
      ...{ clock, log: () => {}, prefix, maxBodyBytes: 1_000_000, fallback: () => unknownPaths },
      authenticate: async ({ headers }) => {
        const user = headers["x-test-user"];
        return { kind: "accepted", principal: principal(typeof user === "string" ? user : undefined) };
      },
      protocols: () => protocols,
    }),
  });
  try {
    await use(async (method, path, body, headers = {}) => {
      const isText = typeof body === "string" || body instanceof Uint8Array;
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        ...{ method, redirect: "manual", headers: { "content-type": "application/json", ...headers } },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true;
      return {
        ...{ status: response.status, headers: Object.fromEntries(response.headers), text },
        json: isJson ? JSON.parse(text) : undefined,
      };
    }, server.port);
  } finally {
    await server.close(1000);
  }
}

function idOf({ id }: { readonly id: number }): number {
  return id;
}

function hasTag(tag: string) {
  return ({ metadata }: Awaited<ReturnType<typeof driversIn>>[number]) => metadata?.labels?.["spark-app-tag"] === tag;
}
