import { describe, expect, test } from "vitest";
import { type Fault, refused } from "../../kube-client/test-api.ts";
import { codesOf, driverPath, prepareSubmission, waitSetting } from "./test-submission.ts";

describe("a token", () => {
  const settings = { "spark.firesteel.submissionToken": "nightly", [waitSetting]: "false" };

  test("makes a repeated submission adopt the existing driver", async () => {
    const { api, logged, run } = prepareSubmission(settings);
    await run();
    const objects = [...api.objects.keys()];
    expect(await run()).toMatchObject({ end: { kind: "notAwaited" }, podName: "drv" });
    expect([...api.objects.keys()]).toEqual(objects);
    expect(logged.slice(-2)).toEqual([
      "INFO Client: An earlier submission used the same token: adopting default:drv (phase: unknown)",
      expect.stringMatching(/^INFO Client: Deployed Spark application M /),
    ]);
  });

  test("of another submission is rejected with the differing parts", async () => {
    const { api, run } = prepareSubmission(settings);
    await run();
    const found = api.objects.get(driverPath);
    if (found === undefined) throw new Error("no driver");
    const annotations = { "firesteel.dev/submission-content": '{"arguments": "0"}' };
    api.put(driverPath, { ...found, metadata: { ...found.metadata, annotations } });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_TOKEN_REUSED"]);
    expect(api.objects.has(driverPath)).toBe(true);
  });

  test("finds its driver by name without permission to list drivers", async () => {
    const fault: Fault = ({ path }) => (path.includes("labelSelector=") ? refused(403, "no lists") : undefined);
    const { logged, run } = prepareSubmission(settings, { fault: () => fault });
    await run();
    await run();
    expect(logged.filter((line) => line.includes("adopting"))).toHaveLength(1);
  });
});

test("an empty token is rejected: all submissions would share it", async () => {
  for (const env of [{}, { FIRESTEEL_STRICT: "1" }]) {
    const { api, run } = prepareSubmission({ "spark.firesteel.submissionToken": "" }, { env });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    expect(api.requestLines).toEqual([]);
  }
});
