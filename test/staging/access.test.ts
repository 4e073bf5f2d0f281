import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openFakeCluster } from "./fake-cluster.ts";
import {
  contentOf,
  defaultForm,
  defaultOwner,
  entryOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
} from "./staging-program.ts";

async function guarded() {
  const cluster = await openFakeCluster();
  cluster.users.set("t-ann", "ann").set("t-bob", "bob");
  cluster.permissions.add("ann team").add("bob others");
  cluster.pods.set("team", []);
  const staging = await startStaging([...cluster.options]);
  return { cluster, staging };
}

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const createUpload = (staging: Staging, headers: Record<string, string>, namespace = "team") => {
  const { digest, size } = contentOf(someBytes(10));
  return staging.sendRequest("POST", "/api/v1/uploads", { json: { namespace, digest, size }, headers });
};

describe("T33 permission to stage", () => {
  test("is denied without a token or with an unknown token", async () => {
    const { staging } = await guarded();
    for (const headers of [{}, as(""), as("unknown"), { authorization: "t-ann" }, { authorization: "Basic x" }]) {
      const rejected = await createUpload(staging, headers);
      expect([rejected.status, rejected.code()]).toEqual([401, "UNAUTHENTICATED"]);
    }
  });

  test("is granted only to accounts that can create pods in the namespace", async () => {
    const { staging } = await guarded();
    expect((await createUpload(staging, as("t-ann"))).status).toBe(201);
    const rejected = await createUpload(staging, as("t-bob"));
    expect([rejected.status, rejected.code()]).toEqual([403, "FORBIDDEN"]);
    const { digest, size } = contentOf(someBytes(10));
    const missing = { json: { namespace: "team", blobs: [{ digest, size }] }, headers: as("t-bob") };
    expect((await staging.sendRequest("POST", "/api/v1/blobs:missing", missing)).status).toBe(403);
  });

  test("is denied while the cluster does not respond", async () => {
    const { cluster, staging } = await guarded();
    for (const fault of [500, "cut", 403] as const) {
      cluster.faults.set("*", fault);
      const rejected = await createUpload(staging, as("t-ann"));
      expect([rejected.status, rejected.code(), rejected.headers["retry-after"]]).toEqual([503, "UNAVAILABLE", "5"]);
    }
    cluster.faults.clear();
    await cluster.setDown(true);
    expect((await createUpload(staging, as("t-ann"))).status).toBe(503);
    await cluster.setDown(false);
    expect((await createUpload(staging, as("t-ann"))).status).toBe(201);
  });

  test("uploads and bundles of other namespaces appear not to exist", async () => {
    const { staging } = await guarded();
    const path = (await createUpload(staging, as("t-ann"))).headers["location"] ?? "";
    const { path: bundle } = await stageBundle(staging, someBytes(20), { headers: as("t-ann") });
    for (const [method, at] of [
      ["HEAD", path],
      ["PATCH", path],
      ["POST", `${path}:commit`],
      ["DELETE", path],
      ["DELETE", bundle],
      ["POST", `${bundle}:renew`],
    ] as const) {
      expect([method, at, (await staging.sendRequest(method, at, { headers: as("t-bob") })).status]).toEqual([
        method,
        at,
        404,
      ]);
    }
    expect((await staging.sendRequest("HEAD", path, { headers: as("t-ann") })).status).toBe(200);
  });

  test("a content of another namespace must be uploaded again", async () => {
    const { cluster, staging } = await guarded();
    cluster.permissions.add("ann others");
    const blob = await stageBlob(staging, someBytes(10), { headers: as("t-ann") });
    const json = { owner: { ...defaultOwner, namespace: "others" }, entries: [entryOf("a", blob)] };
    const rejected = await staging.sendRequest("POST", "/api/v1/bundles", { json, headers: as("t-bob") });
    expect([rejected.status, rejected.code()]).toEqual([409, "MISSING_BLOBS"]);
  });

  test("API v0 takes the token from its own header, and a bundle's secret needs no token", async () => {
    const { staging } = await guarded();
    const form = defaultForm("content");
    const post = (headers: Record<string, string>) =>
      staging.sendRequest("POST", "/api/v0/resources", { ...form, headers: { ...form.headers, ...headers } });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: "Bearer t-ann" })).status).toBe(401);
    expect((await post({ "x-staging-authorization": "Bearer t-bob" })).status).toBe(403);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
    const made = await post({ "x-staging-authorization": "Bearer t-ann" });
    const headers = { authorization: made.text("resourceSecret") };
    const got = await staging.sendRequest("GET", `/api/v0/resources/${made.text("resourceId")}`, { headers });
    expect([got.status, got.body.toString()]).toEqual([200, "content"]);
  });

  test("the log contains no token", async () => {
    const { cluster, staging } = await guarded();
    const { token } = await stageBundle(staging, someBytes(10), { headers: as("t-ann") });
    cluster.faults.set("*", 500);
    await createUpload(staging, as("t-secret"));
    staging.program.child.kill("SIGTERM");
    const { stdout, stderr, exit } = await staging.program.ended;
    expect(exit).toBe(0);
    expect(stdout).toContain("The request to review the caller's access failed.");
    for (const secret of ["t-ann", "t-secret", token, "of-the-server"]) expect(stdout + stderr).not.toContain(secret);
  });
});
