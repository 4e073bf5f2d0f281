import { describe, expect, test } from "vitest";
import {
  createLine,
  driverId,
  restSettings,
  standby,
  statusLine,
  statusResponse,
  submissionsUrl,
  waitSettings,
} from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

describe("a submission to a standalone master", () => {
  test("is created, and its state is reported", async () => {
    const { end, host, gateway } = await submitOnce();
    expect(end).toBe(0);
    expect(gateway.lines).toEqual([createLine(), statusLine()]);
    expect(host.errorText()).toContain(`Submission successfully created as ${driverId}`);
    expect(host.errorText()).toContain(`State of driver ${driverId} is now RUNNING.`);
    expect(host.errorText()).toContain("Driver is running on worker worker-1 at 10.0.0.9:7079.");
  });

  test("sends the application, Spark's settings and variables, and no Firesteel settings", async () => {
    const { gateway } = await submitOnce({
      settings: { ...waitSettings, "spark.firesteel.runTimeout": "1h", "spark.a": "1", "spark.driver.host": "here" },
      env: { SPARK_A: "1", SPARK_HOME: "/s", SPARK_LOCAL_IP: "10.0.0.1", OTHER: "2" },
      fields: { driverMemory: "2g", driverCores: "3" },
      supervise: true,
      rules: [{ on: statusLine(), json: statusResponse("FINISHED") }],
    });
    expect(JSON.parse(gateway.requests[0]?.body ?? "")).toEqual({
      action: "CreateSubmissionRequest",
      appArgs: ["1", "two"],
      appResource: "file:/a.jar",
      clientSparkVersion: "4.3.0",
      environmentVariables: { SPARK_A: "1" },
      mainClass: "M",
      sparkProperties: {
        "spark.a": "1",
        "spark.app.name": "M",
        "spark.app.submitTime": "1767323045000",
        "spark.driver.cores": "3",
        "spark.driver.memory": "2g",
        "spark.driver.supervise": "true",
        "spark.jars": "file:/a.jar",
        "spark.master": "spark://h:6066",
        "spark.standalone.submit.waitAppCompletion": "true",
        "spark.submit.deployMode": "cluster",
        "spark.submit.pyFiles": "",
      },
    });
  });

  test("sends local addresses and Mesos variables as Spark 3.5 does", async () => {
    const env = { SPARK_LOCAL_IP: "10.0.0.1", MESOS_A: "1" };
    const sent = async (version: string) =>
      JSON.parse((await submitOnce({ version, env })).gateway.requests[0]?.body ?? "").environmentVariables;
    expect(await sent("3.5.9")).toEqual(env);
    expect(await sent("4.2.1")).toEqual({ SPARK_LOCAL_IP: "10.0.0.1" });
    expect(await sent("4.3.0")).toEqual({});
  });

  test("honors `supervise` from a setting, which Spark overwrites", async () => {
    const settings = { ...restSettings, "spark.driver.supervise": "true" };
    const sent = async (strict: boolean) =>
      JSON.parse((await submitOnce({ strict, settings })).gateway.requests[0]?.body ?? "").sparkProperties[
        "spark.driver.supervise"
      ];
    expect([await sent(false), await sent(true)]).toEqual(["true", "false"]);
  });

  test("is rejected with all problems of its settings", async () => {
    const { end, gateway } = await submitOnce({
      settings: {
        "spark.master.rest.enabled": "maybe",
        "spark.driver.cores": "none",
        "spark.firesteel.rest.token": "x",
      },
    });
    expect(end).toEqual(["SUBMIT_ERR_NOT_POSITIVE", "SUBMIT_ERR_SETTING_UNKNOWN", "SUBMIT_ERR_SETTING_TYPE"]);
    expect(gateway.lines).toEqual([]);
  });

  test("is rejected if the master URL has no address", async () => {
    const { end, messages } = await submitOnce({ master: "spark://h:6066,,x y:1,h/path" });
    expect(end).toEqual(Array(3).fill("SUBMIT_ERR_REST_MASTER"));
    expect(messages).toContain('Invalid master URL "spark://x y:1": it is not the address of a master.');
  });
});

describe("several masters", () => {
  const master = "spark://a:1,b:2";

  test("are queried in order until one leads", async () => {
    const rules = [{ on: createLine("a:1"), json: standby }];
    const { end, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(0, 2)).toEqual([createLine("a:1"), createLine("b:2")]);
  });

  test.each(["refused", "unresolved"] as const)("tolerate an unreachable master (%s)", async (failure) => {
    const { end, host } = await submitOnce({ master, rules: [{ on: "POST http://a:1", failure }] });
    expect(end).toBe(0);
    expect(host.errorText()).toContain("is now RUNNING.");
  });

  test("are all named if none accepts the submission", async () => {
    const rules = [
      { on: createLine("a:1"), json: standby },
      { on: createLine("b:2"), failure: "refused" },
    ] as const;
    const { end, messages } = await submitOnce({ master, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_REJECTED", "SUBMIT_ERR_REST_UNREACHABLE"]);
    expect(messages).toContain("spark://a:1 rejected the request: Current state is not alive: STANDBY.");
    expect(messages).toContain("Check that a REST gateway listens at spark://b:2 (connect refused).");
  });

  test("get a submission only once if one received it and did not respond", async () => {
    const rules = [{ on: createLine("a:1"), failure: "disconnected" }] as const;
    const { end, messages, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_UNCERTAIN"]);
    expect(messages).toContain("the driver may have been created");
    expect(gatewayCalls.lines).toEqual([createLine("a:1"), `GET ${submissionsUrl("a:1")}/readyz`]);
  });

  test("exclude an address where another program closes connections", async () => {
    const rules = [
      { on: "POST http://a:1", failure: "disconnected" },
      { on: "GET http://a:1", failure: "disconnected" },
    ] as const;
    const { end, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(0, 3)).toEqual([
      createLine("a:1"),
      `GET ${submissionsUrl("a:1")}/readyz`,
      createLine("b:2"),
    ]);
  });
});

describe("a token", () => {
  test("is read from its file and sent", async () => {
    const settings = { "spark.firesteel.rest.tokenFile": "/t" };
    const { gateway } = await submitOnce({ settings, files: { "/t": "a.b.c\n" } });
    expect(gateway.requests.map(({ token }) => token)).toEqual(["a.b.c", "a.b.c"]);
    expect(gateway.requests[0]?.body).not.toContain("tokenFile");
  });

  test.each([
    ["the file does not exist", {}],
    ["it is not one word of ASCII characters", { "/t": "two words" }],
  ])("is rejected: %s", async (reason, files) => {
    const settings = { "spark.firesteel.rest.tokenFile": "/t" };
    const { end, messages } = await submitOnce({ settings, files });
    expect(end).toEqual(["SUBMIT_ERR_REST_TOKEN"]);
    expect(messages).toContain(`Cannot read a token from /t (spark.firesteel.rest.tokenFile): ${reason}`);
  });
});
