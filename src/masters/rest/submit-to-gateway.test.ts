import { describe, expect, test } from "vitest";
import type { TestChild } from "../../host/test-children.ts";
import { driverId, standby, statusResponse, unknownStatus } from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

const gateway = (host: string) => `http://${host}/v1/submissions`;
const create = (host = "h:6066") => `POST ${gateway(host)}/create`;
const status = (host = "h:6066") => `GET ${gateway(host)}/status/${driverId}`;
const wait = { "spark.standalone.submit.waitAppCompletion": "true" };
const rest = { "spark.master.rest.enabled": "true" };

describe("a submission to a standalone master", () => {
  test("is created, and its state is reported", async () => {
    const { end, host, gateway } = await submitOnce();
    expect(end).toBe(0);
    expect(gateway.lines).toEqual([create(), status()]);
    expect(host.errorText()).toContain(`Submission successfully created as ${driverId}`);
    expect(host.errorText()).toContain(`State of driver ${driverId} is now RUNNING.`);
    expect(host.errorText()).toContain("Driver is running on worker worker-1 at 10.0.0.9:7079.");
  });

  test("sends the application, Spark's settings and variables, and no Firesteel settings", async () => {
    const { gateway } = await submitOnce({
      settings: { ...wait, "spark.firesteel.runTimeout": "1h", "spark.a": "1", "spark.driver.host": "here" },
      env: { SPARK_A: "1", SPARK_HOME: "/s", SPARK_LOCAL_IP: "10.0.0.1", OTHER: "2" },
      fields: { driverMemory: "2g", driverCores: "3" },
      supervise: true,
      rules: [{ on: status(), json: statusResponse("FINISHED") }],
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
    const settings = { ...rest, "spark.driver.supervise": "true" };
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
    const rules = [{ on: create("a:1"), json: standby }];
    const { end, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(0, 2)).toEqual([create("a:1"), create("b:2")]);
  });

  test.each(["refused", "unresolved"] as const)("tolerate an unreachable master (%s)", async (failure) => {
    const { end, host } = await submitOnce({ master, rules: [{ on: "POST http://a:1", failure }] });
    expect(end).toBe(0);
    expect(host.errorText()).toContain("is now RUNNING.");
  });

  test("are all named if none accepts the submission", async () => {
    const rules = [
      { on: create("a:1"), json: standby },
      { on: create("b:2"), failure: "refused" },
    ] as const;
    const { end, messages } = await submitOnce({ master, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_REJECTED", "SUBMIT_ERR_REST_UNREACHABLE"]);
    expect(messages).toContain("spark://a:1 rejected the request: Current state is not alive: STANDBY.");
    expect(messages).toContain("Check that a REST gateway listens at spark://b:2 (connect refused).");
  });

  test("get a submission only once if one received it and did not respond", async () => {
    const rules = [{ on: create("a:1"), failure: "disconnected" }] as const;
    const { end, messages, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_UNCERTAIN"]);
    expect(messages).toContain("the driver may have been created");
    expect(gatewayCalls.lines).toEqual([create("a:1"), `GET ${gateway("a:1")}/readyz`]);
  });

  test("exclude an address where another program closes connections", async () => {
    const rules = [
      { on: "POST http://a:1", failure: "disconnected" },
      { on: "GET http://a:1", failure: "disconnected" },
    ] as const;
    const { end, gateway: gatewayCalls } = await submitOnce({ master, rules });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(0, 3)).toEqual([create("a:1"), `GET ${gateway("a:1")}/readyz`, create("b:2")]);
  });
});

describe("a gateway with invalid responses", () => {
  const version = { serverSparkVersion: "4.3.0" };

  test.each([
    ["SUBMIT_ERR_REST_MALFORMED", { text: "<html>hello</html>" }],
    ["SUBMIT_ERR_REST_MALFORMED", { status: 500, text: "<html>trouble</html>" }],
    ["SUBMIT_ERR_REST_MALFORMED", { json: { action: "CreateSubmissionResponse" } }],
    ["SUBMIT_ERR_REST_RESPONSE_UNKNOWN", { json: { action: "Poem", ...version } }],
    ["SUBMIT_ERR_REST_REJECTED", { status: 400, json: { action: "ErrorResponse", message: "no", ...version } }],
    ["SUBMIT_ERR_REST_REJECTED", { status: 403, text: "<html><h2>JWT Validate Fail</h2></html>" }],
    ["SUBMIT_ERR_REST_REJECTED", { json: { ...standby, action: "KillSubmissionResponse", submissionId: "d" } }],
    ["SUBMIT_ERR_REST_NO_RESPONSE", { failure: "timedOut" }],
    ["SUBMIT_ERR_REST_UNREACHABLE", { status: 404, text: "" }],
    ["SUBMIT_ERR_REST_HOST", { failure: "unresolved" }],
  ] as const)("ends a submission: %s", async (code, rule) => {
    // No master may have received it.
    const { end } = await submitOnce({
      rules: [
        { on: "POST", ...rule },
        { on: "GET", failure: "disconnected" },
      ],
    });
    expect(end).toEqual([code]);
  });

  test.each([
    ["no word", { status: 404, text: "" }, 0, "Server responded with error:\n\t\tSome()"],
    [
      "an error with HTTP status 200",
      { json: { action: "ErrorResponse", message: "m", ...version } },
      0,
      "Server responded with error:\n\t\tm",
    ],
    ["another success", { status: 201, text: "{}" }, ["SUBMIT_ERR_REST_WAIT"], ""],
  ] as const)("with %s ends a submission as in Spark", async (_, rule, end, text) => {
    const spark = await submitOnce({ settings: rest, rules: [{ on: "POST", ...rule }], strict: true });
    expect(spark.end).toEqual(end);
    expect(spark.host.errorText()).toContain(text);
  });

  test("is not queried again about an existing driver with Spark's exact behavior", async () => {
    const rules = [{ on: "GET", status: 404, json: { action: "ErrorResponse", message: "m", ...version } }];
    const { end, gateway } = await submitOnce({ settings: rest, rules, strict: true });
    expect(end).toBe(0);
    expect(gateway.lines).toHaveLength(2);
  });

  test("has the secrets that it repeats redacted", async () => {
    const text = 'Action field not found in JSON:\n{"spark.authenticate.secret":"s3cr3t\\"x"}';
    const settings = { ...rest, "spark.authenticate.secret": 's3cr3t"x', "spark.token": "abcdef" };
    const rules = [{ on: "POST", status: 400, json: { action: "ErrorResponse", message: `${text} abcdef` } }];
    const result = await submitOnce({ settings, rules });
    expect(result.messages).toContain("Action field not found");
    const spark = await submitOnce({ settings, rules, strict: true });
    expect(spark.host.errorText()).toContain("Action field not found");
    for (const output of [result.messages, spark.host.errorText()]) expect(output).not.toMatch(/s3cr3t|abcdef/);
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

describe("a master's RPC port instead of its gateway port", () => {
  const closed = [
    { on: "POST http://h:7077", failure: "disconnected" },
    { on: "GET http://h:7077", failure: "disconnected" },
  ] as const;

  test("leads to the gateway at its default port", async () => {
    const { end, host, gateway: gatewayCalls } = await submitOnce({ master: "spark://h:7077", rules: closed });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(-2)).toEqual([create("h:6066"), status("h:6066")]);
    expect(host.errorText()).toContain("There is no REST gateway at spark://h:7077; trying spark://h:6066");
    expect(JSON.parse(gatewayCalls.requests[0]?.body ?? "").sparkProperties["spark.master"]).toBe("spark://h:7077");
  });

  test("is reported with the default port if neither has a gateway", async () => {
    const rules = [...closed, { on: "POST", failure: "refused" as const }];
    const { end, messages } = await submitOnce({ master: "spark://h:7077", rules });
    expect(end).toEqual(Array(2).fill("SUBMIT_ERR_REST_UNREACHABLE"));
    expect(messages).toContain("spark://h:7077 (connect disconnected)");
    expect(messages).toContain("spark://h:6066 (connect refused)");
  });

  test("is not replaced with Spark's exact behavior", async () => {
    const {
      end,
      host,
      gateway: gatewayCalls,
    } = await submitOnce({
      ...{ master: "spark://h:7077", strict: true, settings: rest, rules: closed },
    });
    expect(end).toEqual(["SUBMIT_ERR_LEGACY_GATEWAY"]);
    expect(host.errorText()).toContain(
      "Warning: Master endpoint spark://h:7077 was not a REST server. Falling back to legacy submission gateway instead.\n",
    );
    expect(gatewayCalls.lines).toEqual([create("h:7077")]);
  });
});

describe("a disabled gateway", () => {
  test.each([true, false])("needs a JVM, which is missing (strict: %s)", async (strict) => {
    const settings = strict ? {} : { "spark.master.rest.enabled": "false" };
    const { end, messages, gateway } = await submitOnce({ strict, settings });
    expect(end).toEqual(["SUBMIT_ERR_LEGACY_GATEWAY"]);
    expect(messages).toContain("requires the JVM of a local Spark distribution");
    expect(gateway.lines).toEqual([]);
  });

  test("is printed in Spark's format", async () => {
    const { host } = await submitOnce({
      ...{ strict: true, verbose: true, supervise: true, fields: { driverMemory: "2g", driverCores: "2" } },
    });
    expect(host.errorText()).toContain(
      "Main class:\norg.apache.spark.deploy.ClientApp\nArguments:\n--supervise\n--memory\n2g\n--cores\n2\nlaunch\nspark://h:6066\nfile:/a.jar\nM\n1\ntwo\nSpark config:\n",
    );
  });
});

describe("the legacy gateway", () => {
  const local = {
    env: { SPARK_HOME: "/spark", JAVA_HOME: "/java" },
    files: { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.3.0.jar": "" },
    spawn: (child: TestChild) => child.exit(child.command === "/java/bin/java" ? 7 : 0),
  };

  test.each([
    [true, {}],
    [false, { "spark.master.rest.enabled": "false" }],
  ])("is used by the JVM of a local Spark (strict: %s)", async (strict, settings) => {
    const { end, host, gateway: gatewayCalls } = await submitOnce({ ...local, strict, settings, verbose: true });
    expect([end, gatewayCalls.lines, host.errorText()]).toEqual([7, [], ""]);
    expect(host.children[0]?.args.join(" ")).toContain(
      "org.apache.spark.deploy.SparkSubmit --master spark://h:6066 --deploy-mode cluster",
    );
  });

  test("receives a submission once that no gateway accepted, with Spark's exact behavior", async () => {
    const rules = [{ on: "POST", failure: "refused" as const }];
    const { end, host } = await submitOnce({ ...local, strict: true, settings: rest, rules });
    expect(end).toBe(7);
    expect(host.errorText()).toContain("Falling back to legacy submission gateway instead.");
    const output = host.children[0]?.args.join(" ");
    expect(output).toContain("--conf spark.master.rest.enabled=false");
    expect(output).not.toContain("spark.master.rest.enabled=true");
  });

  test("gets no submission that its master may already have received", async () => {
    const rules = [{ on: "POST", failure: "timedOut" as const }];
    const { end, host } = await submitOnce({ ...local, settings: rest, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_UNCERTAIN"]);
    expect(host.children).toEqual([]);
  });
});

describe("waiting for the end", () => {
  test.each([
    ["FINISHED", 0],
    ["FAILED", 1],
    ["KILLED", 1],
    ["ERROR", 1],
  ])("returns the exit code of the state %s", async (state, code) => {
    const rules = [
      { on: status(), times: 2, json: unknownStatus },
      { on: status(), times: 1, json: statusResponse("SUBMITTED") },
      { on: status(), times: 30, json: statusResponse("RUNNING") },
      { on: status(), json: statusResponse(state, { message: "Exception from the cluster:\nboom" }) },
    ];
    const { end, host } = await submitOnce({ settings: wait, rules });
    expect(end).toBe(code);
    expect(host.errorText().match(/State of driver/g)).toHaveLength(3);
    if (code !== 0) expect(host.errorText()).toContain(`The driver ${driverId} ended with the state ${state}.\n`);
  });

  test("is disabled with Spark's exact behavior", async () => {
    const { end, gateway } = await submitOnce({ strict: true, settings: { ...wait, ...rest } });
    expect(end).toBe(0);
    expect(gateway.lines).toEqual([create(), status()]);
  });

  test("reports a driver that failed immediately, also without waiting", async () => {
    const rules = [{ on: status(), json: statusResponse("ERROR", { message: "no such jar" }) }];
    const { end, host } = await submitOnce({ rules });
    expect(end).toBe(1);
    expect(host.errorText()).toContain("no such jar");
    expect(await submitOnce({ rules, strict: true, settings: rest })).toMatchObject({ end: 0 });
  });

  test.each([
    ["a master that leads does not know", { json: unknownStatus }, 1, "did not recognize driver"],
    ["no master reports", { failure: "refused" }, 0, "No master reports the state"],
  ] as const)("reports a submitted driver that %s, without waiting", async (_, rule, code, messages) => {
    const { end, host, gateway: gatewayCalls } = await submitOnce({ rules: [{ on: status(), ...rule }] });
    expect([end, gatewayCalls.lines.length]).toEqual([code, 11]);
    expect(host.errorText()).toContain(messages);
  });

  test("without waiting, an interruption also ends the first status request", async () => {
    const { end, host } = await submitOnce({
      rules: (own) => [{ on: status(), onRequest: () => own().raise("SIGINT"), json: unknownStatus }],
    });
    expect(end).toBe(130);
    expect(host.errorText()).toContain(`Interrupted; the driver ${driverId} keeps running.`);
  });

  test("tolerates unavailable masters and warns once a minute", async () => {
    const rules = [
      { on: status(), times: 1, json: statusResponse("RUNNING") },
      { on: status(), times: 150, failure: "refused" as const },
      { on: status(), json: statusResponse("FINISHED") },
    ];
    const { end, host } = await submitOnce({ settings: wait, rules });
    expect(end).toBe(0);
    expect(host.errorText().match(/Unable to connect to server/g)).toHaveLength(3);
  });

  test("ends if the master does not know the driver any more", async () => {
    const rules = [
      { on: status(), times: 1, json: statusResponse("RUNNING") },
      { on: status(), json: unknownStatus },
    ];
    const { end, host } = await submitOnce({ settings: wait, rules });
    expect(end).toBe(1);
    expect(host.errorText()).toContain(`Error: The outcome of the driver ${driverId} is unknown`);
  });

  test.each([
    ["spark.firesteel.startTimeout", "SUBMITTED", "did not start within 1 min and was killed"],
    ["spark.firesteel.runTimeout", "RUNNING", "did not end within 1 min and was killed"],
  ])("keeps %s", async (key, state, messages) => {
    const rules = [{ on: status(), json: statusResponse(state) }];
    const { end, host, gateway: gatewayCalls } = await submitOnce({ settings: { ...wait, [key]: "1min" }, rules });
    expect(end).toBe(124);
    expect(host.errorText()).toContain(`The driver ${driverId} ${messages}.\n`);
    expect(gatewayCalls.lines.at(-1)).toBe(`POST ${gateway("h:6066")}/kill/${driverId}`);
  });

  test("reports how to kill a driver after a failed kill", async () => {
    const rules = [{ on: `POST ${gateway("h:6066")}/kill`, failure: "refused" as const }];
    const settings = { ...wait, "spark.firesteel.runTimeout": "1min" };
    const { host } = await submitOnce({ settings, rules });
    expect(host.errorText()).toContain(`spark-submit --kill ${driverId} --master spark://h:6066`);
  });

  test.each([
    ["SIGINT", 130, "false"],
    ["SIGTERM", 143, "true"],
  ] as const)("ends with %s, and kills the driver if configured", async (signal, code, kills) => {
    const settings = { ...wait, "spark.firesteel.killOnInterrupt": kills };
    const {
      end,
      host,
      gateway: gatewayCalls,
    } = await submitOnce({
      settings,
      rules: (own) => [
        { on: status(), times: 3, json: statusResponse("RUNNING") },
        { on: status(), onRequest: () => own().raise(signal), json: statusResponse("RUNNING") },
      ],
    });
    expect(end).toBe(code);
    expect(gatewayCalls.lines.at(-1)?.includes("/kill/")).toBe(kills === "true");
    expect(host.errorText()).toContain(kills === "true" ? "was killed." : "keeps running.");
  });
});

describe("the Mesos dispatcher", () => {
  const mesos = { master: "mesos://h:7077", version: "3.5.9" };

  test("accepts Python without a class, with Spark's exact behavior only if the gateway is enabled", async () => {
    const { end, gateway } = await submitOnce({
      ...mesos,
      resource: "http://x/app.py",
      settings: rest,
      strict: true,
    });
    expect(end).toBe(0);
    expect(JSON.parse(gateway.requests[0]?.body ?? "")).toMatchObject({
      appResource: "http://x/app.py",
      mainClass: "",
    });
    expect((await submitOnce({ ...mesos, strict: true })).end).toEqual(["SUBMIT_ERR_MESOS_REST"]);
    expect((await submitOnce(mesos)).end).toBe(0);
  });

  test("is rejected for Spark 4", async () => {
    expect((await submitOnce({ ...mesos, version: "4.0.5" })).end).toEqual(["SUBMIT_ERR_MASTER_UNKNOWN"]);
  });

  test("has no legacy gateway", async () => {
    const rules = [{ on: "POST", failure: "refused" as const }];
    const strict = await submitOnce({ ...mesos, strict: true, settings: rest, rules });
    expect(strict.end).toEqual(["SUBMIT_ERR_REST_UNREACHABLE"]);
    expect((await submitOnce({ ...mesos, rules })).gateway.lines).toEqual([create("h:7077")]);
  });
});
