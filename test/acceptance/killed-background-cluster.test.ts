import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { requestApi } from "./background-api.ts";
import { run, temporaryDirectory } from "./programs.ts";

/** Number of times that the cluster is killed; `npm run test:slow` sets more. */
const kills = Number(process.env["FIRESTEEL_KILLS"] ?? "3");
/** Limit per kill, which takes about two seconds; more on a busy machine. */
const killsTimeoutMs = 60_000 + kills * 10_000;

const path = "/api/v1/namespaces/default/configmaps";
const connectionLost = /ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|disconnected/;

/** Notice of a start after a kill during a write, whose response was not sent. */
const incompleteRecord = /^(The last record of \S+ was incomplete and was truncated at byte \d+\.\n)?$/;

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Creates an object whose two fields have the same length and are of one revision. */
function configMap(name: string, revision: number) {
  const text = `${revision}:`.padEnd(20_000 + ((revision * 7919) % 50_000), "x");
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { first: text, second: text } };
}

/** Last acknowledged state of a writer's object, and the change that was sent when the cluster was killed. */
interface Written {
  readonly name: string;
  /** Number of changes; `undefined` data means a deleted object. */
  changes: number;
  acknowledged: number | undefined;
  sent: number | undefined;
  resourceVersion: number;
}

/** Creates, updates and deletes an object until the connection fails. */
async function write(kubeconfig: string, written: Written): Promise<void> {
  for (;;) {
    written.changes += 1;
    const isDeletion = written.acknowledged !== undefined && written.changes % 7 === 0;
    written.sent = isDeletion ? undefined : written.changes;
    const isCreation = written.acknowledged === undefined;
    const method = isDeletion ? "DELETE" : isCreation ? "POST" : "PUT";
    const body = isDeletion ? {} : { body: configMap(written.name, written.changes) };
    try {
      const { status, text } = await requestApi(
        kubeconfig,
        method,
        isCreation ? path : `${path}/${written.name}`,
        body,
      );
      expect([status, text]).toEqual([isCreation ? 201 : 200, expect.anything()]);
      written.acknowledged = written.sent;
      if (!isDeletion) written.resourceVersion = Number(metadataOf(text).resourceVersion);
    } catch (error) {
      expect(String(error)).toMatch(connectionLost);
      return;
    }
  }
}

function metadataOf(text: string): ConfigMap["metadata"] {
  const object: ConfigMap = JSON.parse(text);
  return object.metadata;
}

/** Checks that an object has its last acknowledged state, or that of the unanswered change. */
function expectAcknowledged(written: Written, objects: readonly ConfigMap[]): void {
  const found = objects.find(({ metadata }) => metadata.name === written.name);
  const first = found?.data?.["first"];
  const revision = first === undefined ? undefined : Number(first.split(":")[0]);
  expect([written.acknowledged, written.sent]).toContain(revision);
  if (revision !== undefined) expect(found?.data).toEqual(configMap(written.name, revision).data);
  if (revision !== undefined && revision === written.acknowledged)
    expect(Number(found?.metadata.resourceVersion)).toBe(written.resourceVersion);
  written.acknowledged = revision;
  written.resourceVersion = Math.max(written.resourceVersion, Number(found?.metadata.resourceVersion ?? 0));
}

test(
  "a cluster that is killed at random moments keeps all acknowledged changes, and nothing incomplete",
  async () => {
    const env = { FIRESTEEL_STATE: temporaryDirectory() };
    onTestFinished(async () => {
      await run("firesteel", ["cluster", "delete"], { env });
    });
    const startCluster = async (): Promise<{ pid: number; kubeconfig: string }> => {
      const { exit, stdout, stderr } = await run("firesteel", ["cluster", "start", "--api-only", "--json"], { env });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(incompleteRecord) });
      return JSON.parse(stdout);
    };
    const writers = Array.from({ length: 6 }, (_, index): Written => {
      const none = { acknowledged: undefined, sent: undefined };
      return { name: `object-${index}`, changes: 0, ...none, resourceVersion: 0 };
    });
    let cluster = await startCluster();
    let lastVersion = 0;
    for (let count = 0; count < kills; count += 1) {
      const { kubeconfig, pid } = cluster;
      const running = writers.map((written) => write(kubeconfig, written));
      await setTimeout(Math.random() * 600);
      process.kill(pid, "SIGKILL");
      await Promise.all(running);
      lastVersion = Math.max(lastVersion, ...writers.map(({ resourceVersion }) => resourceVersion));
      cluster = await startCluster();
      const list: { items: ConfigMap[]; metadata: { resourceVersion: string } } = JSON.parse(
        (await requestApi(cluster.kubeconfig, "GET", path)).text,
      );
      for (const written of writers) expectAcknowledged(written, list.items);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(lastVersion);
    }
  },
  killsTimeoutMs,
);
