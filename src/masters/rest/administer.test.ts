import { describe, expect, test } from "vitest";
import { SparkConf } from "../../conf/spark-conf.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { substitutionSources } from "../../submit/resolve/substitution-sources.ts";
import { type Administration, administer } from "./administer.ts";
import { type GatewayRule, standby, testGateway } from "./test-gateway.ts";

const master = "spark://a:1,b:2";

/** Does it; gives what is said, or the messages of what is thrown. */
async function attempt(what: Administration, rules: readonly GatewayRule[] = []) {
  const host = testHost();
  const { send, lines } = testGateway(rules);
  const conf = new SparkConf([], { line: "4.3", text: "4.3.0" }, substitutionSources(host));
  const thrown: unknown = await administer(what, { host, master, conf, send }).catch((error) => error);
  const said = isSubmitError(thrown) ? thrown.issues.map(({ message }) => message) : host.outText();
  return { said, lines };
}

describe("a standalone master as a whole", () => {
  test.each([
    ["readyz", "GET", "spark://a:1: ready for submissions\n"],
    ["killall", "POST", "spark://a:1: all drivers are told to end\n"],
    ["clear", "POST", "spark://a:1: drivers and applications that had ended are forgotten\n"],
  ] as const)("is asked for %s", async (what, method, said) => {
    expect(await attempt(what)).toEqual({ said, lines: [`${method} http://a:1/v1/submissions/${what}`] });
  });

  test("is the one that leads", async () => {
    const error = { action: "ErrorResponse", message: "Master is not ready.", serverSparkVersion: "4.3.0" };
    const waiting = { on: "GET http://a:1", status: 503, json: error };
    expect((await attempt("readyz", [waiting])).said).toBe("spark://b:2: ready for submissions\n");
    const refusing = { on: "POST http://a:1", json: { ...standby, action: "KillAllSubmissionResponse" } };
    expect((await attempt("killall", [refusing])).said).toBe("spark://b:2: all drivers are told to end\n");
  });

  test("says why it does not do it, as each of them does", async () => {
    const missing = { action: "ErrorResponse", message: "Missing an action", serverSparkVersion: "3.5.9" };
    const rules = [
      { on: "POST http://a:1", status: 400, json: missing },
      { on: "POST http://b:2", loss: "refused" as const },
    ];
    expect((await attempt("clear", rules)).said).toEqual([
      "spark://a:1 refuses (HTTP 400): Missing an action",
      "Unable to connect to server",
    ]);
  });
});
