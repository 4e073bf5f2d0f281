import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { defaultForm, type Staging, someBytes, startStaging, until, uploadForm, v0Owner } from "./staging-program.ts";

async function stage(staging: Staging, content: Uint8Array | string) {
  const made = await staging.sendRequest("POST", "/api/v0/resources", defaultForm(content));
  return { made, id: made.text("resourceId"), secret: made.text("resourceSecret") };
}

const get = (staging: Staging, id: string, authorization?: string) =>
  staging.sendRequest(
    "GET",
    `/api/v0/resources/${id}`,
    authorization === undefined ? {} : { headers: { authorization } },
  );

const treeOf = (directory: string) => readdirSync(directory, { recursive: true }).map(String).sort();
const contentsIn = (directory: string) =>
  treeOf(directory).filter((path) => /(^|\/)(data|[0-9a-f]{62}|.*\.json)$/.test(path));

describe("API v0", () => {
  test("T01 ping returns pong only on its path", async () => {
    const staging = await startStaging();
    const pong = await staging.sendRequest("GET", "/api/v0/ping");
    expect([pong.status, pong.headers["content-type"], pong.body.toString()]).toEqual([200, "text/plain", "pong"]);
    expect((await staging.sendRequest("GET", "/api/ping")).status).toBe(404);
  });

  test("T02 an upload returns an ID and a secret, with and without a trailing slash", async () => {
    const staging = await startStaging();
    for (const path of ["/api/v0/resources", "/api/v0/resources/"]) {
      const made = await staging.sendRequest("POST", path, defaultForm("content"));
      expect(made.status).toBe(200);
      expect(made.headers["content-type"]).toBe("application/json");
      const id = made.text("resourceId");
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(made.text("resourceSecret")).toMatch(new RegExp(`^${id}-[A-Za-z0-9+/]+={0,2}$`));
      expect(made.text("resourceSecret")).toHaveLength(1405);
    }
  });

  test("T03 the secret returns the same bytes repeatedly", async () => {
    const staging = await startStaging();
    const content = someBytes(3_000_000);
    const { id, secret } = await stage(staging, content);
    for (const _ of [1, 2]) {
      const got = await get(staging, id, secret);
      expect([got.status, got.headers["content-type"]]).toEqual([200, "application/octet-stream"]);
      expect(got.body.equals(content)).toBe(true);
    }
  });

  test("T04 equal uploads become two resources with separate secrets", async () => {
    const staging = await startStaging();
    const one = await stage(staging, "same");
    const other = await stage(staging, "same");
    expect(one.id).not.toBe(other.id);
    expect((await get(staging, one.id, other.secret)).status).toBe(401);
    expect((await get(staging, other.id, other.secret)).body.toString()).toBe("same");
  });

  test("T05 a wrong secret is rejected without revealing the content", async () => {
    const staging = await startStaging();
    const { id, secret } = await stage(staging, "the content");
    const flipped = `${secret.slice(0, -3)}${secret.at(-3) === "A" ? "B" : "A"}${secret.slice(-2)}`;
    for (const wrong of ["wrong", "", undefined, `Bearer ${secret}`, flipped]) {
      const got = await get(staging, id, wrong);
      expect([wrong, got.status]).toEqual([wrong, 401]);
      expect(got.headers["www-authenticate"]).toBe(`Unauthorized to download resource with id ${id}`);
      expect(got.body.toString()).not.toContain("the content");
    }
    const record = treeOf(staging.store).find((path) => path.endsWith(`${id}.json`));
    expect(record).toBeDefined();
    expect(readFileSync(`${staging.store}/${record}`, "utf8")).not.toContain("usedAtMs");
  });

  test("T06 an unknown ID returns 404", async () => {
    const staging = await startStaging();
    const ids = ["00000000-0000-4000-8000-000000000000", "..", "%2e%2e%2f", "a".repeat(10_000), "x", "../keys"];
    for (const id of ids) expect((await get(staging, id, "secret")).status).toBe(404);
  });

  const json = (change: Record<string, unknown>) => JSON.stringify({ ...JSON.parse(v0Owner), ...change });
  test.each([
    ["resources is missing", [{ name: "resourcesOwner", content: v0Owner }]],
    ["the owner is missing", [{ name: "resources", content: "x" }]],
    [
      "the owner is not JSON",
      [
        { name: "resources", content: "x" },
        { name: "resourcesOwner", content: "{" },
      ],
    ],
    ...[
      ["ownerType is unknown", json({ ownerType: "Deployment" })],
      ["ownerLabels is empty", json({ ownerLabels: {} })],
      ["a label is not a string", json({ ownerLabels: { a: 1 } })],
      ["the owner has an unknown field", json({ more: "x" })],
      ["ownerNamespace contains ..", json({ ownerNamespace: "../../tmp/x" })],
      ["ownerNamespace is empty", json({ ownerNamespace: "" })],
      ["ownerNamespace is not a DNS label", json({ ownerNamespace: "A_B" })],
      ["ownerNamespace is too long", json({ ownerNamespace: "n".repeat(300) })],
    ].map(([name = "", owner = ""]): [string, { name: string; content: string }[]] => [
      name,
      [
        { name: "resources", content: "x" },
        { name: "resourcesOwner", content: owner },
      ],
    ]),
  ])("T07, T08 an upload is rejected without being stored when %s", async (_name, parts) => {
    const staging = await startStaging();
    const around = () => treeOf(dirname(staging.store));
    const before = around();
    const made = await staging.sendRequest("POST", "/api/v0/resources", uploadForm(parts));
    expect([made.status, made.code()]).toEqual([400, "BAD_REQUEST"]);
    expect(contentsIn(staging.store)).toEqual([]);
    expect(around()).toEqual(before);
  });

  test("T09 the parts are accepted in any order, but not twice", async () => {
    const staging = await startStaging();
    const parts = [
      { name: "resourcesOwner", type: "application/json", content: v0Owner },
      { name: "resources", content: "content" },
    ];
    const made = await staging.sendRequest("POST", "/api/v0/resources", uploadForm(parts));
    expect((await get(staging, made.text("resourceId"), made.text("resourceSecret"))).body.toString()).toBe("content");
    const twice = uploadForm([...parts, { name: "resources", content: "other" }]);
    expect((await staging.sendRequest("POST", "/api/v0/resources", twice)).status).toBe(400);
  });

  test("T10 other methods return 405 with the allowed methods", async () => {
    const staging = await startStaging();
    const { id } = await stage(staging, "x");
    for (const method of ["PUT", "DELETE", "HEAD"]) {
      const one = await staging.sendRequest(method, `/api/v0/resources/${id}`);
      expect([one.status, one.headers.allow]).toEqual([405, "GET"]);
      const all = await staging.sendRequest(method, "/api/v0/resources");
      expect([all.status, all.headers.allow]).toEqual([405, "POST"]);
    }
    expect((await staging.sendRequest("DELETE", "/api/v0/ping")).status).toBe(405);
  });

  test("T11 a body that is not a valid form is rejected", async () => {
    const staging = await startStaging();
    const path = "/api/v0/resources";
    expect((await staging.sendRequest("POST", path, { json: {} })).status).toBe(415);
    const unbounded = { headers: { "content-type": "multipart/form-data" }, body: "x" };
    expect((await staging.sendRequest("POST", path, unbounded)).status).toBe(400);
    const { body, headers } = defaultForm("content");
    const cut = await staging.sendRequest("POST", path, {
      headers,
      body: body.subarray(0, body.length - 60),
    });
    expect(cut.status).toBe(400);
    expect(contentsIn(staging.store)).toEqual([]);
  });

  test("T12 empty content and an empty archive can be staged", async () => {
    const staging = await startStaging();
    for (const content of [Buffer.alloc(0), gzipSync(Buffer.alloc(10_240))]) {
      const { id, secret } = await stage(staging, content);
      const got = await get(staging, id, secret);
      expect([got.status, got.body.equals(content)]).toEqual([200, true]);
    }
  });

  test.each(["end", "resetAndDestroy"] as const)(
    "T15, T16 an upload interrupted by %s leaves no files",
    async (closeSocket) => {
      const staging = await startStaging();
      const { body, headers } = defaultForm(someBytes(2_000_000));
      const socket = connect(staging.port, "127.0.0.1");
      socket.on("error", () => {});
      const head = `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
      socket.write(head);
      await new Promise<void>((resolve) => socket.write(body.subarray(0, 1_000_000), () => resolve()));
      const uploads = () => readdirSync(`${staging.store}/uploads`).length;
      await until(() => (uploads() === 1 ? true : undefined));
      socket[closeSocket]();
      await until(() => (uploads() === 0 ? true : undefined));
      expect((await staging.sendRequest("GET", "/api/v0/ping")).status).toBe(200);
      expect(contentsIn(staging.store)).toEqual([]);
    },
  );

  test("T16 a chunked upload without a length is accepted up to the limit", async () => {
    const staging = await startStaging(["--auth", "none", "--owners", "none", "--max-blob-size", "1m"]);
    const chunked = (content: Uint8Array) => {
      const { body, headers } = defaultForm(content);
      const all = { ...headers, "transfer-encoding": "chunked" };
      return staging.sendRequest("POST", "/api/v0/resources", { headers: all, body });
    };
    expect((await chunked(someBytes(1024 * 1024))).status).toBe(200);
    const more = await chunked(someBytes(1024 * 1024 + 1));
    expect([more.status, more.code()]).toEqual([413, "TOO_LARGE"]);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  });
});
