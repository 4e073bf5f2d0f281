import { describe, expect, test } from "vitest";
import { SparkConf } from "../../conf/spark-conf.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";
import { type Administration, administer } from "./administer.ts";
import { type GatewayRule, standby, testGateway } from "./test-gateway.ts";

const master = "spark://a:1,b:2";

/** Runs an operation. Returns the output, or the messages of the error. */
async function attempt(what: Administration, rules: readonly GatewayRule[] = []) {
  const host = testHost();
  const { send, lines } = testGateway(rules);
  const conf = new SparkConf([], { line: "4.3", text: "4.3.0" }, substitutionSources(host));
  const thrown: unknown = await administer(what, { host, master, conf, send }).catch((error) => error);
  const output = isSubmitError(thrown) ? thrown.issues.map(({ message }) => message) : host.outText();
  return { output, lines };
}

const ready = "GET http://a:1/v1/submissions/readyz";
const notReady = { action: "ErrorResponse", message: "Master is not ready.", serverSparkVersion: "4.3.0" };

describe("an operation on a standalone master", () => {
  test.each([
    ["readyz", [], "spark://a:1: ready for submissions\n"],
    ["killall", ["POST http://a:1/v1/submissions/killall"], "spark://a:1: all drivers are being terminated\n"],
    [
      "clear",
      ["POST http://a:1/v1/submissions/clear"],
      "spark://a:1: completed drivers and applications were cleared\n",
    ],
  ] as const)("requests %s", async (what, lines, output) => {
    expect(await attempt(what)).toEqual({ output, lines: [ready, ...lines] });
  });

  test("goes to the leading master, because standbys have nothing to clear", async () => {
    const rules = [{ on: "GET http://a:1", status: 503, json: notReady }];
    const { output, lines } = await attempt("clear", rules);
    expect(output).toMatch(/^spark:\/\/b:2: /);
    expect(lines.at(-1)).toBe("POST http://b:2/v1/submissions/clear");
  });

  test("reports the reason of a rejection", async () => {
    const json = { ...standby, action: "KillAllSubmissionResponse" };
    expect((await attempt("killall", [{ on: "POST", json }])).output).toEqual([
      expect.stringContaining("spark://a:1 rejected the request: Current state is not alive: STANDBY."),
    ]);
  });

  test("reports the responses of all masters if none is ready", async () => {
    const missing = { ...notReady, message: "Missing an action", serverSparkVersion: "3.5.9" };
    const rules = [
      { on: "GET http://a:1", status: 400, json: missing },
      { on: "GET http://b:2", failure: "refused" as const },
    ];
    expect((await attempt("clear", rules)).output).toEqual([
      "spark://a:1 rejected the request (HTTP 400): Missing an action",
      "Unable to connect to server",
    ]);
  });
});
