import { describe, expect, test } from "vitest";
import { clientModeWarnings } from "./kubernetes-client-mode.ts";

const image = { "spark.kubernetes.container.image": "spark:4.3.0" };

function warningsOf({
  settings = {},
  env = {},
  isPod = false,
}: {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isPod?: boolean;
}): readonly string[] {
  const told: Readonly<Record<string, string | undefined>> = { ...image, ...settings };
  return clientModeWarnings({ setting: (key) => told[key], env, isPod }).map(({ text }) => text);
}

describe("a driver here, executors in pods", () => {
  test("is fine where its address is told, and in a pod that is named", () => {
    expect(warningsOf({ settings: { "spark.driver.host": "192.0.2.1" } })).toEqual([]);
    expect(warningsOf({ env: { SPARK_LOCAL_IP: "192.0.2.1" } })).toEqual([]);
    expect(warningsOf({ isPod: true, settings: { "spark.kubernetes.driver.pod.name": "p" } })).toEqual([]);
  });

  test("is told which address and ports to set outside of a cluster", () => {
    const [text] = warningsOf({});
    for (const key of ["spark.driver.host", "spark.driver.port", "spark.driver.blockManager.port"])
      expect(text).toContain(key);
  });

  test.each(["localhost", "127.0.0.1", "::1"])("cannot be found at %s", (host) => {
    const [text] = warningsOf({ settings: { "spark.driver.host": host } });
    expect(text).toMatch(new RegExp(`^spark\\.driver\\.host is ${host}, .*an address of this machine`));
    const [inPod] = warningsOf({
      ...{ isPod: true, env: { SPARK_LOCAL_IP: host } },
      settings: { "spark.kubernetes.driver.pod.name": "p" },
    });
    expect(inPod).toMatch(/^SPARK_LOCAL_IP is .*headless service/);
  });

  test("that runs in a pod without saying so leaves its executors behind", () => {
    expect(warningsOf({ isPod: true, env: { HOSTNAME: "notebook-0" } })).toEqual([
      expect.stringMatching(/spark\.kubernetes\.driver\.pod\.name does not name.*Set it to notebook-0\.$/),
    ]);
  });

  test("that names no image is told", () => {
    const settings = { "spark.driver.host": "192.0.2.1" };
    const setting = (key: string) => Object.entries(settings).find(([name]) => name === key)?.[1];
    expect(clientModeWarnings({ setting, env: {}, isPod: false }).map(({ text }) => text)).toEqual([
      expect.stringContaining("spark.kubernetes.container.image"),
    ]);
  });
});
