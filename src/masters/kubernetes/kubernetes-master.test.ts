import { describe, expect, test } from "vitest";
import { type Fault, refused } from "../../kube-client/test-api.ts";
import { codesOf, driverPath, prepareSubmission, respondToWatch, waitSetting } from "./test-submission.ts";

describe("a submission", () => {
  test("creates the driver with its objects and logs that, without waiting", async () => {
    const { api, logged, run } = prepareSubmission({ [waitSetting]: "false" });
    expect(await run()).toMatchObject({ end: { kind: "notAwaited" }, namespace: "default", podName: "drv" });
    expect([...api.objects.keys()].map((path) => path.split("/").at(-2)).sort()).toEqual([
      "configmaps",
      "networkpolicies",
      "pods",
      "services",
    ]);
    expect(logged.at(-1)).toMatch(
      /^INFO Client: Deployed Spark application M with application ID spark-\w+ and submission ID default:drv into Kubernetes$/,
    );
  });

  test("that does not wait warns about settings of waiting", async () => {
    const limits = { "spark.firesteel.runTimeout": "1h", "spark.firesteel.logs": "driver" };
    const warnings = async (waits: string) => {
      const { logged, run } = prepareSubmission({ ...limits, [waitSetting]: waits });
      await run();
      return logged.filter((line) => line.includes("has no effect"));
    };
    expect(await warnings("false")).toEqual([
      `WARN SparkConf: The setting spark.firesteel.logs has no effect, because ${waitSetting} is false.`,
      `WARN SparkConf: The setting spark.firesteel.runTimeout has no effect, because ${waitSetting} is false.`,
    ]);
  });

  test("returns the outcome of its driver", async () => {
    const terminated = { exitCode: 3, reason: "Error" };
    const containerStatuses = [
      {
        name: "spark-kubernetes-driver",
        image: "img:1",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated },
      },
    ];
    const { run, logged } = prepareSubmission(
      {},
      { fault: () => respondToWatch({ phase: "Failed", containerStatuses }) },
    );
    expect((await run()).end).toMatchObject({ kind: "failed", exitCode: 3, reason: "Error" });
    expect(logged.at(-1)).toMatch(/finished$/);
  });

  test("rejects an invalid namespace early, except with exactly Spark's behavior", async () => {
    for (const [strict, objects] of [
      ["", 0],
      ["1", 4],
    ] as const) {
      const settings = { "spark.kubernetes.namespace": "a;b", [waitSetting]: "false" };
      const { api, run } = prepareSubmission(settings, { env: { FIRESTEEL_STRICT: strict } });
      expect(await codesOf(run)).toEqual(objects === 0 ? ["SUBMIT_ERR_SETTING_NAME"] : ["undefined"]);
      expect(api.objects.size).toBe(objects);
    }
  });

  test("leaves no object if the API rejects it", async () => {
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const { api, run } = prepareSubmission({}, { fault: () => fault });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(api.objects.size).toBe(0);
  });

  test.each([
    ["", 1],
    ["1", 0],
  ])("warns about an ignored setting, except with exactly Spark's behavior (%j)", async (strict, count) => {
    const conf = { [waitSetting]: "false", "spark.kubernetes.namespce": "x" };
    const { logged, run } = prepareSubmission(conf, { env: { FIRESTEEL_STRICT: strict } });
    await run();
    expect(logged.filter((line) => line.includes("namespce"))).toHaveLength(count);
  });

  test("sends nothing for an unknown Firesteel setting", async () => {
    const { api, run } = prepareSubmission({ [waitSetting]: "yes", "spark.firesteel.log": "driver" });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_UNKNOWN", "SUBMIT_ERR_SETTING_TYPE"]);
    expect(api.requestLines).toEqual([]);
  });

  test("sends nothing with invalid settings, and reports all of them", async () => {
    const conf = {
      [waitSetting]: "yes",
      "spark.kubernetes.submission.requestTimeout": "x",
      "spark.kubernetes.container.image.pullPolicy": "No",
    };
    const { api, run } = prepareSubmission(conf);
    expect(await codesOf(run)).toEqual([
      "SUBMIT_ERR_SETTING_CHOICE",
      "SUBMIT_ERR_SETTING_TYPE",
      "SUBMIT_ERR_SETTING_TYPE",
    ]);
    expect(api.requestLines).toEqual([]);
  });

  test("reads the settings of waiting only while the driver runs, with exactly Spark's behavior", async () => {
    const { api, run } = prepareSubmission({ [waitSetting]: "yes" }, { env: { FIRESTEEL_STRICT: "1" } });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_TYPE"]);
    expect(api.objects.has(driverPath)).toBe(true);
  });
});
