import { describe, expect, test } from "vitest";
import { driverId, standby, statusResponse, unknownStatus } from "./test-gateway.ts";
import { operateOnce } from "./test-submission.ts";

const refusedKill = {
  ...{ action: "KillSubmissionResponse", serverSparkVersion: "4.3.0", submissionId: "d", success: false },
  message: "Driver d has already finished or does not exist",
};
const standbyKill = { ...refusedKill, message: standby.message };

describe("--status of a driver on a standalone cluster", () => {
  test("prints its state, unlike Spark", async () => {
    const result = await operateOnce("status", { id: driverId });
    expect(result.end).toBe(0);
    expect(result.host.errorText()).toContain(`INFO RestSubmissionClient: State of driver ${driverId} is now RUNNING.`);
    const spark = await operateOnce("status", { id: driverId, strict: true });
    expect([spark.end, spark.host.errorText()]).toEqual([0, ""]);
  });

  test("prints its error", async () => {
    const rules = [{ on: "GET", json: statusResponse("ERROR", { message: "Exception from the cluster:\nboom" }) }];
    const { host } = await operateOnce("status", { id: driverId, rules });
    expect(host.errorText()).toContain("Exception from the cluster:\n\t\tboom");
  });

  test("prints JSON, also for an unknown driver", async () => {
    const found = await operateOnce("status", { id: driverId, json: true });
    expect(JSON.parse(found.host.outText())).toEqual({
      drivers: [
        {
          ...{ submissionId: driverId, state: "RUNNING", message: null },
          ...{ workerId: "worker-1", workerHostPort: "10.0.0.9:7079" },
        },
      ],
    });
    const none = await operateOnce("status", {
      ...{ id: "x", json: true, rules: [{ on: "GET", json: unknownStatus }] },
    });
    expect([none.end, JSON.parse(none.host.outText())]).toEqual([1, { drivers: [] }]);
  });

  test("reports an unknown driver", async () => {
    const rules = [{ on: "GET", json: unknownStatus }];
    const result = await operateOnce("status", { id: "driver-x", rules });
    expect(result.end).toBe(1);
    // SUBMIT_ERR_REST_DRIVER_UNKNOWN
    expect(result.host.errorText()).toContain("spark://h:6066 has no driver driver-x.\n");
    const spark = await operateOnce("status", { id: "driver-x", rules, strict: true });
    expect(spark.end).toBe(0);
    expect(spark.host.errorText()).toContain(
      "Error: Server responded with message of unexpected type SubmissionStatusResponse.",
    );
  });

  test("queries the leading master", async () => {
    const message = "Exception from the cluster:\njava.lang.Exception: Current state is not alive: STANDBY.";
    const rules = [{ on: "GET http://a:1", json: { ...unknownStatus, message } }];
    const { end, gateway } = await operateOnce("status", { id: driverId, master: "spark://a:1,b:2", rules });
    expect([end, gateway.lines.length]).toEqual([0, 2]);
  });

  test("suggests a retry for a new leader, without its stack trace", async () => {
    const messages =
      "Exception from the cluster:\njava.lang.Exception: Current state is not alive: RECOVERING. Can only request driver status in ALIVE state.";
    const message = `${messages}\n\torg.apache.Master$$anon$1.apply(Master.scala:601)\n\tjava.base/java.lang.Thread.<init>(Native Method)`;
    const rules = [{ on: "GET", json: { ...unknownStatus, message } }];
    const { messages: output } = await operateOnce("status", { id: driverId, rules });
    expect(output).toMatch(/ALIVE state\.\nTry again in a minute: .*\n$/);
    expect(output).toContain(`spark://h:6066 rejected the request: ${messages}\n`);
  });

  test.each(["", "*", "driver-*"])("rejects the submission ID %j", async (id) => {
    const { end, gateway } = await operateOnce("status", { id });
    expect([end, gateway.lines]).toEqual([["SUBMIT_ERR_REST_SUBMISSION_ID_INVALID"], []]);
  });

  test("fails without a response", async () => {
    const rules = [{ on: "GET", failure: "refused" as const }];
    for (const strict of [true, false]) {
      const { end } = await operateOnce("status", { id: "d", strict, rules });
      expect(end).toEqual(["SUBMIT_ERR_REST_UNREACHABLE"]);
    }
  });
});

describe("--kill of a driver on a standalone cluster", () => {
  test.each([true, false])("reports success (strict: %s)", async (strict) => {
    const { end, host } = await operateOnce("kill", { id: driverId, strict });
    expect([end, host.errorText()]).toEqual([0, `${driverId} is killed successfully.\n`]);
  });

  test("reports the reason, and fails unlike Spark", async () => {
    const rules = [{ on: "POST", json: refusedKill }];
    const { end, host } = await operateOnce("kill", { id: "d", rules });
    expect([end, host.errorText()]).toEqual([1, `Error: ${refusedKill.message}\n`]);
  });

  test("prints the complete error, and the reason for a missing response, in strict mode like Spark", async () => {
    const json = { action: "ErrorResponse", message: "no", serverSparkVersion: "4.3.0" };
    const refused = await operateOnce("kill", {
      id: "d",
      rules: [{ on: "POST", status: 403, json }],
      strict: true,
    });
    expect(refused.host.errorText()).toContain("\nError: {\n");
    const unresolvedRules = [{ on: "POST", failure: "unresolved" as const }];
    expect((await operateOnce("kill", { id: "d", rules: unresolvedRules, strict: true })).end).toEqual([
      "SUBMIT_ERR_REST_WAIT",
    ]);
  });

  test("continues with the leading master, and names the standby masters if none leads", async () => {
    const master = "spark://a:1,b:2";
    const first = [{ on: "POST http://a:1", json: standbyKill }];
    expect(await operateOnce("kill", { id: "d", master, rules: first })).toMatchObject({ end: 0 });
    const { end, messages } = await operateOnce("kill", {
      id: "d",
      master,
      rules: [{ on: "POST", json: standbyKill }],
    });
    expect(end).toEqual(Array(2).fill("SUBMIT_ERR_REST_REJECTED"));
    expect(messages).toContain("List all masters");
  });

  test("encodes an ID as one path segment; Spark 4 rejects an invalid ID", async () => {
    const id = "driver 1/x?y";
    const { gateway } = await operateOnce("kill", { id });
    expect(gateway.lines).toEqual(["POST http://h:6066/v1/submissions/kill/driver%201%2Fx%3Fy"]);
    const spark = await operateOnce("kill", { id, strict: true });
    expect([spark.end, spark.gateway.lines]).toEqual([["SUBMIT_ERR_REST_ADDRESS"], []]);
    const older = await operateOnce("kill", { id, strict: true, version: "3.5.9" });
    expect(older.gateway.lines).toHaveLength(1);
  });
});
