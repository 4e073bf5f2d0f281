import { describe, expect, test } from "vitest";
import type { Setting } from "../conf/setting.ts";
import { testHost } from "../host/test-host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { adjustSettings } from "./adjust-settings.ts";

interface TestCommand {
  readonly fields?: CommandLineSettings["fields"];
  readonly action?: string;
}

function adjust(conf: Readonly<Record<string, string>>, { fields = {}, action = "submit" }: TestCommand = {}) {
  const settings = Object.entries(conf).map(([key, value]): Setting => ({ key, value, origin: { kind: "conf" } }));
  const commandLine = {
    ...{ fields, settings, action, propertiesFile: undefined, extraPropertiesFiles: [] },
    ...{ loadsDefaults: false, supervise: false, verbose: false },
  };
  const record = JSON.stringify({ name: "default", url: "https://127.90.0.1:6443" });
  const host = testHost({
    cwd: "/w",
    files: {
      ...{ "/w/data/a.csv": "", "/home/tester/b": "" },
      "/home/tester/.local/state/firesteel/clusters/default/cluster.json": record,
      "/home/tester/.local/state/firesteel/clusters/other/cluster.json": "{",
    },
  });
  const adjusted = adjustSettings(settings, commandLine, host);
  const added = adjusted.settings.slice(settings.length).map(({ key, value }) => `${key}=${value}`);
  return { added, problems: adjusted.issues.map(({ code, message }) => `${code}: ${message}`) };
}

const mounts = (text: string) => ({ "spark.firesteel.mounts": text });
const cluster = { master: "k8s://embedded", deployMode: "cluster" };

describe("mounts of a submission", () => {
  test("become volumes of driver and executors in cluster mode, of executors in client mode", () => {
    const both = adjust(mounts("data:/data,~/b"), { fields: cluster }).added;
    expect(both).toHaveLength(12);
    expect(both).toContain("spark.kubernetes.driver.volumes.hostPath.firesteel-mount-1.options.path=/w/data");
    expect(both).toContain("spark.kubernetes.executor.volumes.hostPath.firesteel-mount-2.mount.path=/home/tester/b");
    const executors = adjust(mounts("data:/data"), { fields: { master: "k8s://embedded" } }).added;
    expect(executors).toHaveLength(3);
    expect(executors.join()).not.toContain(".driver.");
  });

  test.each([
    ["k8s://https://127.90.0.1:6443", true],
    ["k8s://127.90.0.1:6443/", true],
    ["k8s://https://127.90.0.1:6444", false],
    ["k8s://http://127.90.0.1:6443", false],
    ["k8s://", false],
  ])("of this machine need the embedded cluster, also by its URL: %s", (master, isAllowed) => {
    const { added } = adjust(mounts("data:/data"), { fields: { ...cluster, master } });
    expect(added).toHaveLength(isAllowed ? 6 : 0);
  });

  test("are ignored by other actions", () => {
    expect(adjust(mounts("none"), { fields: cluster, action: "kill" })).toEqual({ added: [], problems: [] });
  });

  test("of this machine need the embedded cluster", () => {
    const { problems } = adjust(mounts("data"), { fields: { ...cluster, master: "k8s://https://h" } });
    expect(problems).toEqual([expect.stringContaining("SUBMIT_ERR_MOUNT: ")]);
  });
});

describe("settings for Kubernetes", () => {
  test.each([
    [
      mounts("data"),
      { master: "yarn", deployMode: "cluster" },
      "spark.firesteel.mounts",
      "Kubernetes",
      "yarn in cluster",
    ],
    [mounts("data"), {}, "spark.firesteel.mounts", "Kubernetes", "local[*] in client"],
    [
      { "spark.firesteel.pythonEnv": "e.txt" },
      { master: "k8s://embedded" },
      ...["spark.firesteel.pythonEnv", "Kubernetes in cluster mode", "k8s://embedded in client"],
    ],
  ] as const)("%j is rejected with %j (SUBMIT_ERR_KUBERNETES_ONLY)", (conf, fields, key, scope, master) => {
    expect(adjust(conf, { fields }).problems).toEqual([
      `SUBMIT_ERR_KUBERNETES_ONLY: ${key} has an effect only on ${scope}, not with the master ${master} mode.`,
    ]);
  });

  test("are accepted there", () => {
    expect(adjust({ "spark.firesteel.pythonEnv": "e.txt" }, { fields: cluster }).problems).toEqual([]);
  });
});
