import { describe, expect, test } from "vitest";
import type { TestChild } from "../../host/test-children.ts";
import { createLine, restSettings, statusLine } from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

describe("a master's RPC port instead of its gateway port", () => {
  const closed = [
    { on: "POST http://h:7077", failure: "disconnected" },
    { on: "GET http://h:7077", failure: "disconnected" },
  ] as const;

  test("leads to the gateway at its default port", async () => {
    const { end, host, gateway: gatewayCalls } = await submitOnce({ master: "spark://h:7077", rules: closed });
    expect(end).toBe(0);
    expect(gatewayCalls.lines.slice(-2)).toEqual([createLine("h:6066"), statusLine("h:6066")]);
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
      ...{ master: "spark://h:7077", strict: true, settings: restSettings, rules: closed },
    });
    expect(end).toEqual(["SUBMIT_ERR_LEGACY_GATEWAY"]);
    expect(host.errorText()).toContain(
      "Warning: Master endpoint spark://h:7077 was not a REST server. Falling back to legacy submission gateway instead.\n",
    );
    expect(gatewayCalls.lines).toEqual([createLine("h:7077")]);
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
    const { end, host } = await submitOnce({ ...local, strict: true, settings: restSettings, rules });
    expect(end).toBe(7);
    expect(host.errorText()).toContain("Falling back to legacy submission gateway instead.");
    const output = host.children[0]?.args.join(" ");
    expect(output).toContain("--conf spark.master.rest.enabled=false");
    expect(output).not.toContain("spark.master.rest.enabled=true");
  });

  test("gets no submission that its master may already have received", async () => {
    const rules = [{ on: "POST", failure: "timedOut" as const }];
    const { end, host } = await submitOnce({ ...local, settings: restSettings, rules });
    expect(end).toEqual(["SUBMIT_ERR_REST_UNCERTAIN"]);
    expect(host.children).toEqual([]);
  });
});
