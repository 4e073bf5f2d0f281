import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openFakeCluster } from "./fake-cluster.ts";
import {
  contentOf,
  entryOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
  usualForm,
  usualOwner,
} from "./staging-program.ts";

async function guarded() {
  const cluster = await openFakeCluster();
  cluster.users.set("t-ann", "ann").set("t-bob", "bob");
  cluster.rights.add("ann team").add("bob others");
  cluster.pods.set("team", []);
  const staging = await startStaging([...cluster.options]);
  return { cluster, staging };
}

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const begin = (staging: Staging, headers: Record<string, string>, namespace = "team") => {
  const { digest, size } = contentOf(someBytes(10));
  return staging.ask("POST", "/api/v1/uploads", { json: { namespace, digest, size }, headers });
};

describe("T33 who may stage", () => {
  test("nobody without a token, or with one that the cluster does not know", async () => {
    const { staging } = await guarded();
    for (const headers of [
      {},
      as(""),
      as("unknown"),
      { authorization: "t-ann" },
      { authorization: "Basic x" },
    ]) {
      const refused = await begin(staging, headers);
      expect([refused.status, refused.code()]).toEqual([401, "UNAUTHENTICATED"]);
    }
  });

  test("who may create pods in the namespace, and nobody else", async () => {
    const { staging } = await guarded();
    expect((await begin(staging, as("t-ann"))).status).toBe(201);
    const refused = await begin(staging, as("t-bob"));
    expect([refused.status, refused.code()]).toEqual([403, "FORBIDDEN"]);
    const { digest, size } = contentOf(someBytes(10));
    const missing = { json: { namespace: "team", blobs: [{ digest, size }] }, headers: as("t-bob") };
    expect((await staging.ask("POST", "/api/v1/blobs:missing", missing)).status).toBe(403);
  });

  test("nobody while the cluster does not answer", async () => {
    const { cluster, staging } = await guarded();
    for (const trouble of [500, "cut", 403] as const) {
      cluster.troubles.set("*", trouble);
      const refused = await begin(staging, as("t-ann"));
      expect([refused.status, refused.code(), refused.headers["retry-after"]]).toEqual([
        503,
        "UNAVAILABLE",
        "5",
      ]);
    }
    cluster.troubles.clear();
    await cluster.setDown(true);
    expect((await begin(staging, as("t-ann"))).status).toBe(503);
    await cluster.setDown(false);
    expect((await begin(staging, as("t-ann"))).status).toBe(201);
  });

  test("what is another's looks as if it were not there", async () => {
    const { staging } = await guarded();
    const path = (await begin(staging, as("t-ann"))).headers["location"] ?? "";
    const { path: bundle } = await stageBundle(staging, someBytes(20), { headers: as("t-ann") });
    for (const [method, at] of [
      ["HEAD", path],
      ["PATCH", path],
      ["POST", `${path}:commit`],
      ["DELETE", path],
      ["DELETE", bundle],
      ["POST", `${bundle}:renew`],
    ] as const) {
      expect([method, at, (await staging.ask(method, at, { headers: as("t-bob") })).status]).toEqual([
        method,
        at,
        404,
      ]);
    }
    expect((await staging.ask("HEAD", path, { headers: as("t-ann") })).status).toBe(200);
  });

  test("a content that somebody else has brought must be brought again", async () => {
    const { cluster, staging } = await guarded();
    cluster.rights.add("ann others");
    const blob = await stageBlob(staging, someBytes(10), { headers: as("t-ann") });
    const json = { owner: { ...usualOwner, namespace: "others" }, entries: [entryOf("a", blob)] };
    const refused = await staging.ask("POST", "/api/v1/bundles", { json, headers: as("t-bob") });
    expect([refused.status, refused.code()]).toEqual([409, "MISSING_BLOBS"]);
  });

  test("API v0 has a header of its own for tokens, and a bundle's secret opens without one", async () => {
    const { staging } = await guarded();
    const form = usualForm("content");
    const post = (headers: Record<string, string>) =>
      staging.ask("POST", "/api/v0/resources", { ...form, headers: { ...form.headers, ...headers } });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: "Bearer t-ann" })).status).toBe(401);
    expect((await post({ "x-staging-authorization": "Bearer t-bob" })).status).toBe(403);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
    const made = await post({ "x-staging-authorization": "Bearer t-ann" });
    const headers = { authorization: made.text("resourceSecret") };
    const got = await staging.ask("GET", `/api/v0/resources/${made.text("resourceId")}`, { headers });
    expect([got.status, got.body.toString()]).toEqual([200, "content"]);
  });

  test("no token is in the log", async () => {
    const { cluster, staging } = await guarded();
    const { token } = await stageBundle(staging, someBytes(10), { headers: as("t-ann") });
    cluster.troubles.set("*", 500);
    await begin(staging, as("t-secret"));
    staging.program.child.kill("SIGTERM");
    const { stdout, stderr, exit } = await staging.program.ended;
    expect(exit).toBe(0);
    expect(stdout).toContain("The request to review the caller's access failed.");
    for (const secret of ["t-ann", "t-secret", token, "of-the-server"])
      expect(stdout + stderr).not.toContain(secret);
  });
});
