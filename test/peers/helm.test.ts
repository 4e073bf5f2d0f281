import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requires } from "../test-with.ts";
import { fetchKubectl, type Peer } from "./fetch-peer.ts";
import { type PeerCluster, startPeerCluster } from "./peer-cluster.ts";

const chart = join(dirname(fileURLToPath(import.meta.url)), "chart");
let cluster: PeerCluster;

beforeAll(async () => {
  cluster = await startPeerCluster();
});
afterAll(() => cluster.stop());

describe.each([
  ["v3", "32", "2.1.0"],
  ["v4", "35", "2.2.2"],
])("Helm %s", (version, minor, packageVersion) => {
  let peer: Peer;
  beforeAll(() => {
    peer = fetchKubectl(minor, packageVersion);
  }, 300_000);
  beforeEach((context) => requires(peer)(context));

  const program = (name: string) => join("directory" in peer ? peer.directory : "", name, name);
  async function helm(...args: string[]): Promise<string> {
    const ended = await cluster.run(program("helm"), args);
    expect(ended).toMatchObject({ exit: 0 });
    return ended.out;
  }
  const get = async (...args: string[]) => (await cluster.run(program("kubectl"), ["get", ...args])).out;

  test("installs a chart with a hook, upgrades it, rolls it back, and removes it", async () => {
    const wait = ["--wait", "--timeout", "60s"];
    expect(await helm("version", "--short")).toMatch(version);
    expect(await helm("install", "shop", chart, ...wait)).toContain("STATUS: deployed");
    expect(await get("job", "shop-prepare", "-o", "jsonpath={.status.succeeded}")).toBe("1");
    expect(await get("deployment", "shop", "-o", "jsonpath={.status.availableReplicas}")).toBe("1");
    await helm("upgrade", "shop", chart, "--set", "replicas=2,greeting=bye", ...wait);
    expect(await get("deployment", "shop", "-o", "jsonpath={.status.availableReplicas}")).toBe("2");
    expect(await get("configmap", "shop", "-o", "jsonpath={.data.greeting}")).toBe("bye");
    await helm("rollback", "shop", "1", ...wait);
    expect(await get("configmap", "shop", "-o", "jsonpath={.data.greeting}")).toBe("hello");
    const history: { revision: number; status: string }[] = JSON.parse(await helm("history", "shop", "-o", "json"));
    expect(history.map(({ revision, status }) => `${revision} ${status}`)).toEqual([
      ...["1 superseded", "2 superseded", "3 deployed"],
    ]);
    await helm("uninstall", "shop", "--wait");
    expect(await get("deployments,services,configmaps,roles", "--selector", "app.kubernetes.io/managed-by=Helm")).toBe(
      "",
    );
    expect(JSON.parse(await helm("list", "-o", "json"))).toEqual([]);
  });
});
