import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, startApi } from "../acceptance/embedded-api.ts";
import { openFaultProxy, type RecordedRequest } from "../acceptance/fault-proxy.ts";
import { run, temporaryDirectory } from "../acceptance/programs.ts";
import { type Staging, someBytes, stageBundle, startStaging, until } from "./staging-program.ts";

describe("servers over one store", { timeout: 180_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  let cluster: EmbeddedCluster;

  beforeAll(async () => {
    cluster = await startApi(directory);
  });

  afterAll(async () => {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function openApi() {
    const visits: RecordedRequest[] = [];
    const proxy = await openFaultProxy(cluster.transport, (visit) => {
      visits.push(visit);
      return "pass";
    });
    onTestFinished(() => proxy.close());
    return { proxy, visits };
  }

  /** Returns a function that returns the server's output. */
  function outputOf({ program }: Staging): () => string {
    let programOutput = "";
    program.child.stdout.on("data", (chunk) => {
      programOutput += chunk;
    });
    return () => programOutput;
  }

  const leads = "This server now cleans the store";
  const serverArgs = (lease: string, url: string) => [
    ...["--auth", "none", "--owners", "none", "--api-server", url, "--use-service-account", "false"],
    ...["--lease-object", lease, "--lease-duration", "3s", "--clean-interval", "200ms", "--initial-expiry", "1s"],
  ];

  test("T39 elect the cleaner by a Lease, and replace it after a crash and immediately after a stop", async () => {
    const { proxy } = await openApi();
    const store = join(temporaryDirectory(), "store");
    const one = await startStaging(serverArgs("default/cleaner", proxy.url), { store });
    const first = outputOf(one);
    await until(() => (first().includes(leads) ? true : undefined));
    const two = await startStaging(serverArgs("default/cleaner", proxy.url), { store });
    const second = outputOf(two);
    const bundle = await stageBundle(two, someBytes(10));
    const isRemoved = async (staging: Staging) =>
      (await staging.sendRequest("GET", bundle.path, { headers: bundle.reader })).status === 410 ? true : undefined;
    await until(() => isRemoved(two));
    // The log line may arrive after the response.
    await until(() => (first().includes("The cleaner removed a bundle") ? true : undefined));
    expect(first().match(/The cleaner removed a bundle/g)).toHaveLength(1);
    expect(second()).not.toContain("The cleaner removed a bundle");
    one.program.child.kill("SIGKILL");
    await until(() => (second().includes(leads) ? true : undefined), 120_000);
    const three = await startStaging(serverArgs("default/cleaner", proxy.url), { store });
    const third = outputOf(three);
    two.program.child.kill("SIGTERM");
    await two.program.ended;
    await until(() => (third().includes(leads) ? true : undefined), 120_000);
  });

  test("release the Lease when a server fails to start", async () => {
    const { proxy } = await openApi();
    const one = await startStaging();
    const taken = ["--host", "127.0.0.1", "--port", String(one.port), "--store", temporaryDirectory()];
    const args = ["staging-server", ...serverArgs("default/not-started", proxy.url), ...taken];
    expect((await run("firesteel", args)).stderr).toContain("EADDRINUSE");
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/not-started";
    expect(await call(cluster, "GET", path)).toMatchObject({ spec: { holderIdentity: "" } });
  });
});
