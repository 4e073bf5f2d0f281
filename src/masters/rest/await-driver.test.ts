import { describe, expect, test } from "vitest";
import {
  createLine,
  driverId,
  restSettings,
  statusLine,
  statusResponse,
  submissionsUrl,
  unknownStatus,
  waitSettings,
} from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

describe("waiting for the end", () => {
  test.each([
    ["FINISHED", 0],
    ["FAILED", 1],
    ["KILLED", 1],
    ["ERROR", 1],
  ])("returns the exit code of the state %s", async (state, code) => {
    const rules = [
      { on: statusLine(), times: 2, json: unknownStatus },
      { on: statusLine(), times: 1, json: statusResponse("SUBMITTED") },
      { on: statusLine(), times: 30, json: statusResponse("RUNNING") },
      { on: statusLine(), json: statusResponse(state, { message: "Exception from the cluster:\nboom" }) },
    ];
    const { end, host } = await submitOnce({ settings: waitSettings, rules });
    expect(end).toBe(code);
    expect(host.errorText().match(/State of driver/g)).toHaveLength(3);
    if (code !== 0) expect(host.errorText()).toContain(`The driver ${driverId} ended with the state ${state}.\n`);
  });

  test("is disabled with Spark's exact behavior", async () => {
    const { end, gateway } = await submitOnce({ strict: true, settings: { ...waitSettings, ...restSettings } });
    expect(end).toBe(0);
    expect(gateway.lines).toEqual([createLine(), statusLine()]);
  });

  test("reports a driver that failed immediately, also without waiting", async () => {
    const rules = [{ on: statusLine(), json: statusResponse("ERROR", { message: "no such jar" }) }];
    const { end, host } = await submitOnce({ rules });
    expect(end).toBe(1);
    expect(host.errorText()).toContain("no such jar");
    expect(await submitOnce({ rules, strict: true, settings: restSettings })).toMatchObject({ end: 0 });
  });

  test.each([
    ["a master that leads does not know", { json: unknownStatus }, 1, "did not recognize driver"],
    ["no master reports", { failure: "refused" }, 0, "No master reports the state"],
  ] as const)("reports a submitted driver that %s, without waiting", async (_, rule, code, messages) => {
    const { end, host, gateway: gatewayCalls } = await submitOnce({ rules: [{ on: statusLine(), ...rule }] });
    expect([end, gatewayCalls.lines.length]).toEqual([code, 11]);
    expect(host.errorText()).toContain(messages);
  });

  test("without waiting, an interruption also ends the first status request", async () => {
    const { end, host } = await submitOnce({
      rules: (own) => [{ on: statusLine(), onRequest: () => own().raise("SIGINT"), json: unknownStatus }],
    });
    expect(end).toBe(130);
    expect(host.errorText()).toContain(`Interrupted; the driver ${driverId} keeps running.`);
  });

  test("tolerates unavailable masters and warns once a minute", async () => {
    const rules = [
      { on: statusLine(), times: 1, json: statusResponse("RUNNING") },
      { on: statusLine(), times: 150, failure: "refused" as const },
      { on: statusLine(), json: statusResponse("FINISHED") },
    ];
    const { end, host } = await submitOnce({ settings: waitSettings, rules });
    expect(end).toBe(0);
    expect(host.errorText().match(/Unable to connect to server/g)).toHaveLength(3);
  });

  test("ends if the master does not know the driver any more", async () => {
    const rules = [
      { on: statusLine(), times: 1, json: statusResponse("RUNNING") },
      { on: statusLine(), json: unknownStatus },
    ];
    const { end, host } = await submitOnce({ settings: waitSettings, rules });
    expect(end).toBe(1);
    expect(host.errorText()).toContain(`Error: The outcome of the driver ${driverId} is unknown`);
  });

  test.each([
    ["spark.firesteel.startTimeout", "SUBMITTED", "did not start within 1 min and was killed"],
    ["spark.firesteel.runTimeout", "RUNNING", "did not end within 1 min and was killed"],
  ])("keeps %s", async (key, state, messages) => {
    const rules = [{ on: statusLine(), json: statusResponse(state) }];
    const {
      end,
      host,
      gateway: gatewayCalls,
    } = await submitOnce({ settings: { ...waitSettings, [key]: "1min" }, rules });
    expect(end).toBe(124);
    expect(host.errorText()).toContain(`The driver ${driverId} ${messages}.\n`);
    expect(gatewayCalls.lines.at(-1)).toBe(`POST ${submissionsUrl("h:6066")}/kill/${driverId}`);
  });

  test("reports how to kill a driver after a failed kill", async () => {
    const rules = [{ on: `POST ${submissionsUrl("h:6066")}/kill`, failure: "refused" as const }];
    const settings = { ...waitSettings, "spark.firesteel.runTimeout": "1min" };
    const { host } = await submitOnce({ settings, rules });
    expect(host.errorText()).toContain(`spark-submit --kill ${driverId} --master spark://h:6066`);
  });

  test.each([
    ["SIGINT", 130, "false"],
    ["SIGTERM", 143, "true"],
  ] as const)("ends with %s, and kills the driver if configured", async (signal, code, kills) => {
    const settings = { ...waitSettings, "spark.firesteel.killOnInterrupt": kills };
    const {
      end,
      host,
      gateway: gatewayCalls,
    } = await submitOnce({
      settings,
      rules: (own) => [
        { on: statusLine(), times: 3, json: statusResponse("RUNNING") },
        { on: statusLine(), onRequest: () => own().raise(signal), json: statusResponse("RUNNING") },
      ],
    });
    expect(end).toBe(code);
    expect(gatewayCalls.lines.at(-1)?.includes("/kill/")).toBe(kills === "true");
    expect(host.errorText()).toContain(kills === "true" ? "was killed." : "keeps running.");
  });
});
