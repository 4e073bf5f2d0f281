import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { type Fault, refused } from "../../../kube-client/test-api.ts";
import { testClient } from "../../../kube-client/test-client.ts";
import { writeToClaim } from "./write-to-claim.ts";

const driver: Pod = { metadata: { name: "d", namespace: "ns", uid: "u" }, spec: { containers: [{ name: "c" }] } };
const running = { containerStatuses: [{ name: "archive", state: { running: {} } }] };
const isOfPod = (path: string) => path.includes("-archive-");

/** Writes the text `bundle` to a claim, through a pod with a status. Returns the command in the pod and the reason of a failure. */
async function write(status: object, fault: Fault = () => undefined) {
  const { api, client } = testClient(async (request, number) => {
    const body = { metadata: { name: "p" }, status };
    const found = request.method === "GET" && isOfPod(request.path) ? { status: 200, body } : undefined;
    return (await fault(request, number)) ?? found;
  });
  let command: readonly string[] = [];
  const runInPod = async (call: { readonly command: readonly string[] }) => {
    command = call.command;
  };
  const host = testHost({ files: { "/w/b": "bundle" } });
  const file = { claim: "lake", file: "a/b", path: "/w/b", sizeBytes: 6 };
  const failure = await writeToClaim({ client: { ...client, runInPod }, driver, host }, file).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : undefined),
  );
  return { command, failure, deletions: api.requestLines.filter((line) => line.startsWith("DELETE")).length };
}

test("a claim that does not exist is reported at once, and the pod is deleted", async () => {
  const message = '0/1 nodes are available: persistentvolumeclaim "lake" not found. not found';
  const { failure, deletions } = await write({ conditions: [{ type: "PodScheduled", status: "False", message }] });
  expect(failure).toBe('persistentvolumeclaim "lake" not found');
  expect(deletions).toBe(1);
});

test("a missing permission is reported with the command that grants it, other rejections without", async () => {
  const creation = (message: string): Fault => {
    return ({ method }) => (method === "POST" ? refused(403, message) : undefined);
  };
  const denied = 'pods is forbidden: User "ann" cannot create resource "pods" in API group "" in the namespace "ns"';
  expect((await write(running, creation(denied))).failure).toBe(
    `${denied}. To grant the permission, an administrator runs: firesteel setup namespace ns --allow archive`,
  );
  const quota = 'pods "d" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
  const { failure } = await write(running, creation(quota));
  expect(failure).toContain("exceeded quota");
  expect(failure).not.toContain("--allow");
});

/** Runs the command of a pod on this machine, with a directory as the claim. */
async function runHere(input: string) {
  const claim = mkdtempSync(join(tmpdir(), "firesteel-claim-"));
  onTestFinished(() => rmSync(claim, { recursive: true }));
  const { command } = await write(running);
  const [program = "", ...args] = command.map((arg) => arg.replace(/^\/archive\//, `${claim}/`));
  const { status, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  return { status, stderr, directory: join(claim, "a") };
}

test("the pod stores a complete bundle, which other users cannot read", async () => {
  const { status, directory } = await runHere("bundle");
  expect(status).toBe(0);
  expect(readdirSync(directory)).toEqual(["b"]);
  expect(readFileSync(join(directory, "b"), "utf8")).toBe("bundle");
  expect(statSync(join(directory, "b")).mode & 0o777).toBe(0o640);
});

test("the pod stores nothing of a bundle whose end does not arrive", async () => {
  const { status, stderr, directory } = await runHere("bund");
  expect(status).toBe(1);
  expect(stderr).toBe("only a part of the bundle arrived\n");
  expect(readdirSync(directory)).toEqual([]);
});
