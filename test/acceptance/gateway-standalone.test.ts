import { createHmac } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { pendingDrivers, startGateway } from "./gateway-process.ts";
import { run, temporaryDirectory, withSpark } from "./programs.ts";

const request = {
  ...{ action: "CreateSubmissionRequest", clientSparkVersion: "4.3.0", appResource: "/opt/app.jar", mainClass: "Main" },
  ...{ appArgs: [], sparkProperties: { "spark.app.name": "app" }, environmentVariables: {} },
};
const create = "/v1/submissions/create";

describe("the standalone REST protocol of the gateway", () => {
  test("submits, reports, kills and clears drivers, whose state stays KILLED", async () => {
    const { send } = await startGateway(...pendingDrivers);
    await vi.waitUntil(async () => (await send("GET", "/v1/submissions/readyz")).status === 200);
    const { json, text, headers } = await send("POST", create, { body: { ...request, colour: "red" } });
    const id = String(json["submissionId"]);
    expect(id).toMatch(/^driver-\d{14}-\d{4}$/);
    expect(headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect(text.split("\n")).toEqual([
      "{",
      '  "action" : "CreateSubmissionResponse",',
      `  "message" : "Driver successfully submitted as ${id}",`,
      '  "serverSparkVersion" : "4.3.0",',
      `  "submissionId" : "${id}",`,
      '  "success" : true,',
      '  "unknownFields" : [ "colour" ]',
      "}",
    ]);
    const state = async () => (await send("GET", `/v1/submissions/status/${id}`)).json["driverState"];
    expect(await state()).toBe("SUBMITTED");
    const killed = await send("POST", `/v1/submissions/kill/${id}`);
    expect(killed.json).toMatchObject({ success: true, message: `Kill request for ${id} submitted` });
    await vi.waitUntil(async () => (await state()) === "KILLED", { timeout: 20_000 });
    expect((await send("POST", `/v1/submissions/kill/${id}`)).json).toMatchObject({ success: false });
    expect(await state()).toBe("KILLED");
    const second = String((await send("POST", create, { body: request })).json["submissionId"]);
    expect((await send("POST", "/v1/submissions/clear")).json).toMatchObject({ success: true, message: "" });
    expect(await state()).toBeUndefined();
    expect((await send("POST", "/v1/submissions/killall")).json).toMatchObject({ success: true });
    await vi.waitUntil(
      async () => (await send("GET", `/v1/submissions/status/${second}`)).json["driverState"] === "KILLED",
      { timeout: 20_000 },
    );
  });

  test("returns the first driver to a repetition with an idempotency key, and rejects another request with it", async () => {
    const { send } = await startGateway(...pendingDrivers);
    const headers = { "idempotency-key": "run-7" };
    const first = await send("POST", create, { body: request, headers });
    expect((await send("POST", create, { body: request, headers })).text).toBe(first.text);
    const other = await send("POST", create, { body: { ...request, mainClass: "Other" }, headers });
    expect(other).toMatchObject({ status: 409, json: { action: "ErrorResponse" } });
  });

  test("names all invalid settings, and stores nothing", async () => {
    const { send } = await startGateway();
    const sparkProperties = {
      "spark.kubernetes.driver.podTemplateFile": "/etc/passwd",
      "spark.executor.instances": "many",
    };
    const { status, json } = await send("POST", create, { body: { ...request, sparkProperties } });
    expect([status, json["action"]]).toEqual([400, "ErrorResponse"]);
    expect(json["message"]).toContain("spark.executor.instances");
    expect(json["message"]).toContain("spark.kubernetes.driver.podTemplateFile");
    expect(json["message"]).not.toContain("root:");
  });

  test("requires signed tokens on both ports if the filter is set", async () => {
    const key = Buffer.alloc(32, 7);
    const { send, url, restUrl } = await startGateway(
      ...["--rest-port", "0", "--conf", "spark.master.rest.filters=org.apache.spark.ui.JWSFilter"],
      ...["--conf", `spark.org.apache.spark.ui.JWSFilter.param.secretKey=${key.toString("base64url")}`],
    );
    const parts = [{ alg: "HS256" }, { sub: "ann" }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const signature = createHmac("sha256", key).update(parts.join(".")).digest("base64url");
    const authorization = `Bearer ${[...parts, signature].join(".")}`;
    for (const to of [url, restUrl]) {
      const rejected = await send("GET", "/v1/submissions/status/driver-1", { to });
      expect([rejected.status, rejected.text]).toEqual([
        403,
        expect.stringContaining("Authorization header is missing."),
      ]);
      expect(await send("GET", "/v1/submissions/status/driver-1", { to, headers: { authorization } })).toMatchObject({
        status: 200,
        json: { success: false },
      });
    }
    expect(await send("GET", "/", { to: restUrl, headers: { authorization } })).toMatchObject({ status: 400 });
    expect(await send("GET", "/healthz")).toMatchObject({ status: 200 });
    expect(await send("GET", "/healthz", { to: restUrl, headers: { authorization } })).toMatchObject({ status: 468 });
  });

  test("does not start if its own port is in use", async () => {
    const { url } = await startGateway();
    const args = ["gateway", "--port", "0", "--cluster", "embedded", "--rest-port", new URL(url).port];
    const { exit, stderr } = await run("firesteel", args, {
      env: withSpark({ FIRESTEEL_STATE: temporaryDirectory() }),
    });
    // SUBMIT_ERR_GATEWAY_START
    expect([exit, stderr]).toEqual([expect.any(Number), expect.stringContaining("The gateway cannot start")]);
    expect(exit).not.toBe(0);
  });

  test("does not start with a filter that it does not have", async () => {
    const args = ["gateway", "--cluster", "embedded", "--conf", "spark.master.rest.filters=org.example.Filter"];
    const { exit, stderr } = await run("firesteel", args, {
      env: withSpark({ FIRESTEEL_STATE: temporaryDirectory() }),
    });
    expect([exit, stderr]).toEqual([expect.any(Number), expect.stringContaining("org.example.Filter")]);
    expect(exit).not.toBe(0);
  });
});
