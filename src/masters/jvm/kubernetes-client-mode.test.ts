import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { clientModeWarnings } from "./kubernetes-client-mode.ts";
import { findReach } from "./reach-facts.ts";

const image = { "spark.kubernetes.container.image": "spark:4.3.0" };

interface Scenario {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isPod?: boolean;
  readonly network?: NonNullable<TestHostOptions["network"]>;
}

async function warningsOf({ settings = {}, env = {}, isPod = false, network = {} }: Scenario) {
  const settingValues: Readonly<Record<string, string | undefined>> = { ...image, ...settings };
  return warningsFor((key) => settingValues[key], { env, isPod, network });
}

async function warningsFor(
  setting: (key: string) => string | undefined,
  { env, isPod, network }: Required<Omit<Scenario, "settings">>,
): Promise<readonly string[]> {
  const host = testHost({ env, network });
  const reach = await findReach(host, { setting, apiServer: "https://203.0.113.9:6443" });
  return clientModeWarnings({ setting, env, version: { text: "4.1.4", line: "4.1" }, isPod, reach }).map(
    ({ text }) => text,
  );
}

/** Name resolution with known names. */
const knows = (names: Readonly<Record<string, string>>) => ({
  lookUp: async (name: string) => (names[name] === undefined ? [] : [names[name]]),
});

describe("a local driver with executors in pods", () => {
  test("has no warnings with a specified address, or in a named pod", async () => {
    expect(await warningsOf({ settings: { "spark.driver.host": "192.0.2.1" } })).toEqual([]);
    expect(await warningsOf({ env: { SPARK_LOCAL_IP: "192.0.2.1" } })).toEqual([]);
    expect(await warningsOf({ isPod: true, settings: { "spark.kubernetes.driver.pod.name": "p" } })).toEqual([]);
  });

  test("warns which address and ports to set outside of a cluster", async () => {
    const [text] = await warningsOf({});
    for (const key of ["spark.driver.host", "spark.driver.port", "spark.driver.blockManager.port"])
      expect(text).toContain(key);
  });

  test.each(["localhost", "127.0.0.1", "::1"])("cannot be found at %s", async (host) => {
    const [text] = await warningsOf({ settings: { "spark.driver.host": host } });
    expect(text).toMatch(new RegExp(`^spark\\.driver\\.host is ${host}, .*an address of this machine`));
    const [inPod] = await warningsOf({
      ...{ isPod: true, env: { SPARK_LOCAL_IP: host } },
      settings: { "spark.kubernetes.driver.pod.name": "p" },
    });
    expect(inPod).toMatch(/^SPARK_LOCAL_IP is .*headless service/);
  });

  test("warns that executors remain if it runs in a pod that is not named", async () => {
    expect(await warningsOf({ isPod: true, env: { HOSTNAME: "notebook-0" } })).toEqual([
      expect.stringMatching(/spark\.kubernetes\.driver\.pod\.name is not set, .*Set it to notebook-0\.$/),
    ]);
  });

  test("warns about a missing image", async () => {
    const settings = { "spark.driver.host": "192.0.2.1" };
    const setting = (key: string) => Object.entries(settings).find(([name]) => name === key)?.[1];
    expect(await warningsFor(setting, { env: {}, isPod: false, network: {} })).toEqual([
      expect.stringMatching(
        /^The executors have no image\. Build an image with `firesteel image build spark-py --spark-version 4\.1\.4 .*spark\.kubernetes\.container\.image=apache\/spark:4\.1\.4\.$/,
      ),
    ]);
  });

  test("suggests the machine's address toward the cluster, unless pods cannot use it", async () => {
    expect((await warningsOf({}))[0]).toContain("can reach, such as 192.0.2.7, and spark.driver.port");
    for (const address of ["127.0.0.1", undefined])
      expect((await warningsOf({ network: { addressToward: async () => address } }))[0]).not.toContain("such as");
  });

  test("warns about an unknown host name and a name that resolves to a loopback address", async () => {
    const settings = { "spark.driver.host": "laptop" };
    expect(await warningsOf({ settings })).toEqual([
      expect.stringMatching(/^spark\.driver\.host is laptop, a name that this machine cannot resolve/),
    ]);
    expect(await warningsOf({ settings, network: knows({ laptop: "127.0.1.1" }) })).toEqual([
      expect.stringMatching(
        /which this machine resolves to 127\.0\.1\.1: .*Set spark\.driver\.bindAddress to 0\.0\.0\.0/,
      ),
    ]);
    expect(await warningsOf({ settings, network: knows({ laptop: "192.0.2.7" }) })).toEqual([]);
  });

  test("warns about an address of another machine, locally and in a pod", async () => {
    const network = {
      ...knows({ "198.51.100.4": "198.51.100.4", gate: "10.0.0.9" }),
      tryListening: async (address: string) => (address === "0.0.0.0" ? undefined : "EADDRNOTAVAIL"),
    };
    const settings = { "spark.driver.host": "198.51.100.4" };
    expect(await warningsOf({ settings, network })).toEqual([
      expect.stringMatching(/not an address of this machine: .*Set spark\.driver\.bindAddress to/),
    ]);
    const bound = { ...settings, "spark.driver.bindAddress": "0.0.0.0" };
    expect(await warningsOf({ settings: bound, network })).toEqual([]);
    const wrong = { ...settings, "spark.driver.bindAddress": "192.0.2.9" };
    expect((await warningsOf({ settings: wrong, network }))[0]).toMatch(
      /^spark\.driver\.bindAddress is 192\.0\.2\.9, which is not an address/,
    );
    const inPod = { "spark.driver.host": "gate", "spark.kubernetes.driver.pod.name": "p" };
    expect((await warningsOf({ settings: inPod, isPod: true, network }))[0]).toMatch(
      /^spark\.driver\.host is gate, which is not an address of this pod.*headless service/,
    );
  });

  test("warns about a port that another program uses", async () => {
    const settings = {
      ...{ "spark.driver.host": "192.0.2.7", "spark.driver.port": "7078" },
      "spark.driver.blockManager.port": "7079",
    };
    const network = {
      tryListening: async (_: string, port: number) => (port === 7079 ? "EADDRINUSE" : undefined),
    };
    expect(await warningsOf({ settings, network })).toEqual([
      expect.stringMatching(/^spark\.driver\.blockManager\.port is 7079, but another program listens there/),
    ]);
  });
});
