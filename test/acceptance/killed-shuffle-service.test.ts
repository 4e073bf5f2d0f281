import { once } from "node:events";
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFetch } from "../../src/shuffle-service/protocol/test-requests.ts";
import { testClient } from "../../src/shuffle-service/test-client.ts";
import { testExecutor } from "../../src/shuffle-service/test-service.ts";
import { start, temporaryDirectory } from "./programs.ts";

const clients = 200;
const block = Buffer.alloc(1_000_000, "0123456789abcdef");

/** Starts the service with directories below a root. */
async function startService(root: string) {
  const properties = join(root, "shuffle.properties");
  writeFileSync(properties, "spark.authenticate=false\n");
  mkdirSync(join(root, "local"), { recursive: true });
  const { child } = start("firesteel", [
    ...["shuffle-service", "--properties-file", properties, "--host", "127.0.0.1", "--port", "0"],
    ...["--directories", join(root, "local"), "--state-dir", join(root, "state")],
  ]);
  let text = "";
  let port: string | undefined;
  while (port === undefined) {
    const [piece] = await once(child.stdout, "data");
    text += piece;
    port = /has started.*?"port":(\d+)/.exec(text)?.[1];
  }
  return { child, port: Number(port) };
}

/** Number of open sockets, and of files below a directory, of a process. */
function openFiles(pid: number | undefined, directory: string) {
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    } catch {
      return [];
    }
  });
  return {
    sockets: targets.filter((target) => target.startsWith("socket:")).length,
    blocks: targets.filter((target) => target.startsWith(directory)).length,
  };
}

test(`${clients} fetches end when the service is killed, and succeed after its restart`, async () => {
  const root = temporaryDirectory();
  const first = await startService(root);
  const executor = testExecutor(join(root, "local"));
  const connect = async (port: number) => {
    const client = await testClient(port);
    onTestFinished(client.close);
    return client;
  };
  const registering = await connect(first.port);
  await registering.rpc(executor.registration);
  executor.writeBlocks(1, 0n, [block]);
  const request = testFetch(executor.key, 1, [[0n, [0]]]);

  const fetching = await Promise.all(Array.from({ length: clients }, () => connect(first.port)));
  const received = Promise.race(fetching.map(({ socket }) => once(socket, "data")));
  const fetched = fetching.map((client) => client.fetch(request));
  await received;
  first.child.kill("SIGKILL");
  const results = await Promise.allSettled(fetched);
  const closed = results.filter(({ status }) => status === "rejected");
  expect(closed.length).toBeGreaterThan(0);
  for (const result of results) {
    if (result.status === "rejected") expect(String(result.reason)).toBe("Error: closed");
    else expect(result.value.map((content) => content.equals(block))).toEqual([true]);
  }

  const second = await startService(root);
  const before = openFiles(second.child.pid, join(root, "local"));
  const again = await Promise.all(Array.from({ length: clients }, () => connect(second.port)));
  const contents = await Promise.all(again.map((client) => client.fetch(request)));
  expect(contents.every(([content]) => content?.equals(block))).toBe(true);
  for (const client of again) client.close();
  await expect
    .poll(() => openFiles(second.child.pid, join(root, "local")).sockets, { timeout: 20_000 })
    .toBe(before.sockets);
  // A data file stays open for 10 s for the next request.
  await expect.poll(() => openFiles(second.child.pid, join(root, "local")).blocks, { timeout: 60_000 }).toBe(0);
  expect(before.blocks).toBe(0);
});
