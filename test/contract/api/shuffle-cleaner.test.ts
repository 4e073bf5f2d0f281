import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeDirectoryTrees } from "../../../src/host/node-directory-trees.ts";
import { nodeHost } from "../../../src/host/node-host.ts";
import { kubeClient } from "../../../src/kube-client/client.ts";
import { startCleaner } from "../../../src/shuffle-service/cleaner/start-cleaner.ts";
import { registrations } from "../../../src/shuffle-service/registry/registrations.ts";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { mergePatch, unscheduledPod } from "./objects.ts";

const host = nodeHost();

describe.each(targets())("the cleaner of the shuffle service at $name", ({ open }) => {
  const api = apiNamespace(open);

  /** Creates a driver pod that no node runs, so that only the test changes its phase. */
  async function createDriver(appId: string): Promise<void> {
    const labels = { "spark-role": "driver", "spark-app-selector": appId };
    const { status } = await api.client.call("POST", `${api.base}/pods`, unscheduledPod(appId, { labels }));
    expect(status).toBe(201);
    await setPhase(appId, "Running");
  }

  async function setPhase(appId: string, phase: string): Promise<void> {
    const path = `${api.base}/pods/${appId}/status`;
    const { status } = await api.client.call("PATCH", path, { status: { phase } }, mergePatch);
    expect(status).toBe(200);
  }

  async function deleteDriver(appId: string): Promise<void> {
    await api.client.call("DELETE", `${api.base}/pods/${appId}`, { gracePeriodSeconds: 0 });
    await until(
      () => api.client.call("GET", `${api.base}/pods/${appId}`),
      ({ status }) => status === 404,
    );
  }

  /** Makes a service's directory with an executor of each application, and a way to start cleaners for all namespaces. */
  function openFiles(appIds: readonly string[]) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "shuffle-cleaner-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const registered = registrations(host.files, [root]);
    for (const appId of appIds) {
      const directory = join(root, appId, "blockmgr-1");
      mkdirSync(join(directory, "00"), { recursive: true });
      writeFileSync(join(directory, "00", "shuffle_0_0_0.data"), "12345");
      const info = { localDirs: [directory], subDirsPerLocalDir: 64, shuffleManager: "" };
      registered.register({ appId, execId: "1" }, info, 0);
    }
    return {
      hasFiles: (appId: string) => existsSync(join(root, appId)),
      hadDriver: (appId: string) => registered.applications.get(appId)?.hadDriver === true,
      /** Starts a cleaner. `removed` has the applications whose files it removed, with the reason. */
      start() {
        const removed: string[] = [];
        const log = (_level: string, _text: string, { appId, reason }: Readonly<Record<string, unknown>> = {}) => {
          removed.push(`${appId} ${reason}`);
        };
        const ignored = () => {};
        const { transport } = api.target;
        const client = kubeClient({
          ...{ transport, server: "https://api.test", clock: host.clock, requestTimeoutMs: 10_000, log: ignored },
        });
        const cleaner = startCleaner({
          ...{ client: client.withoutRetries(), clock: host.clock, host, trees: nodeDirectoryTrees(), roots: [root] },
          ...{ registrations: registered, registrationLog: undefined, log, limitedLog: ignored, onRemoved: ignored },
          options: {
            times: { retentionMs: 1, absenceMs: 1, clientModeMs: 3600_000 },
            ...{ cleanEveryMs: 20, orphanMs: 3600_000, namespace: undefined },
          },
        });
        onTestFinished(() => cleaner.stop());
        return { removed, stop: cleaner.stop };
      },
    };
  }

  test("removes the files of drivers that have ended or are deleted, in any namespace, and no others", async () => {
    const names = ["succeeded", "failed", "deleted", "running"].map((name) => `${api.namespace}-${name}`);
    const [succeeded = "", failed = "", deleted = "", running = ""] = names;
    const files = openFiles(names);
    for (const appId of names) await createDriver(appId);
    const { removed } = files.start();
    await expect.poll(() => names.every(files.hadDriver)).toBe(true);
    expect(removed).toEqual([]);
    await setPhase(succeeded, "Succeeded");
    await setPhase(failed, "Failed");
    await deleteDriver(deleted);
    await expect.poll(() => removed.length, { timeout: 30_000 }).toBe(3);
    expect([...removed].sort()).toEqual([
      ...[`${deleted} driverGone`, `${failed} driverEnded`, `${succeeded} driverEnded`],
    ]);
    expect(names.filter(files.hasFiles)).toEqual([running]);
  });

  test("removes at the start what ended while the service was down", async () => {
    const names = ["ended", "gone", "running"].map((name) => `${api.namespace}-${name}`);
    const [ended = "", gone = "", running = ""] = names;
    const files = openFiles(names);
    for (const appId of names) await createDriver(appId);
    const before = files.start();
    await expect.poll(() => names.every(files.hadDriver)).toBe(true);
    await before.stop();
    await setPhase(ended, "Failed");
    await deleteDriver(gone);
    expect(names.every(files.hasFiles)).toBe(true);
    const { removed } = files.start();
    await expect.poll(() => removed.length, { timeout: 30_000 }).toBe(2);
    expect([...removed].sort()).toEqual([`${ended} driverEnded`, `${gone} driverGone`]);
    expect(names.filter(files.hasFiles)).toEqual([running]);
  });
});
