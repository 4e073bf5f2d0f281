import { expect, test } from "vitest";
import { printError } from "../../src/cli/print.ts";
import { parseCommandLine } from "../../src/command-line/parse.ts";
import { newestLine } from "../../src/conf/spark-version.ts";
import { isSubmitError, orThrow } from "../../src/errors/submit-error.ts";
import { sparkLog } from "../../src/host/log.ts";
import { type TestHost, testHost } from "../../src/host/test-host.ts";
import { operateOnGateway } from "../../src/masters/rest/operate-on-gateway.ts";
import type { SendRequest } from "../../src/masters/rest/rest-exchange.ts";
import { submitToGateway } from "../../src/masters/rest/submit-to-gateway.ts";
import { type GatewayRule, testGateway } from "../../src/masters/rest/test-gateway.ts";
import { resolveOperation } from "../../src/resolve/resolve-operation.ts";
import { resolveSubmission } from "../../src/resolve/resolve-submission.ts";
import { differenceOf } from "./difference.ts";
import { type VerboseBlocks, verboseBlocks } from "./front-end-text.ts";
import { type RecordedCase, recordedCases } from "./recorded-case.ts";
import { testRecordedCases } from "./test-recorded-cases.ts";
import { jar } from "./zip.ts";

/** Behavior of Apache's client. */
interface Golden {
  readonly exit: number;
  readonly must: readonly string[];
  readonly verbose?: VerboseBlocks;
  readonly requests?: readonly unknown[];
}

/** Response of a gateway in a recording. */
type RecordedRule = Omit<GatewayRule, "failure"> & {
  readonly hangUp?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

type GatewayCase = RecordedCase<Golden>["case"] & { readonly gateway?: readonly RecordedRule[] };

const dir = "/golden/case";
const server = "http://127.0.0.1:40404";
const fill = (text: string) => text.replaceAll("{{DIR}}", dir).replaceAll("{{PORT}}", "40404");

testRecordedCases<Golden>("Standalone", ["standalone"], compare);

test("every version has recordings", () => {
  const cases = [...recordedCases<Golden>("standalone").values()].flat();
  expect([...new Set(cases.flatMap(({ golden }) => Object.keys(golden)))].sort()).toEqual([
    ...["3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0"],
  ]);
});

/** Describes all differences between a run and its recording. */
async function compare(kase: RecordedCase<Golden>, golden: Golden, version: string): Promise<string> {
  const { exit, text, requests } = await runGatewayCase(kase.case, version);
  const printed = scrub(text).replace(/( at index )\d+/g, "$1{{N}}");
  const faults = [
    ...(exit === golden.exit ? [] : [`exit ${exit}, not ${golden.exit}`]),
    ...golden.must.filter((expected) => !printed.includes(expected)).map((expected) => `missing: ${expected}`),
    ...(golden.requests === undefined ? [] : differenceOf(golden.requests, requests(version), "requests")),
    ...(golden.verbose === undefined ? [] : differenceOf(golden.verbose, verboseBlocks(scrub(text)), "verbose")),
  ];
  return faults.length === 0 ? "" : [...faults, text].join("\n");
}

/** Runs a command line in memory, with gateways that respond by rules. */
async function runGatewayCase(kase: GatewayCase, version: string) {
  const host = testHost({
    cwd: dir,
    env: { FIRESTEEL_STRICT: "1", FIRESTEEL_SPARK_VERSION: version },
    files: Object.fromEntries(
      Object.entries(kase.files ?? {}).map(([name, content]) => [
        `${dir}/${name}`,
        typeof content === "string" ? content : jar(undefined),
      ]),
    ),
  });
  const gateway = testGateway(rulesOf(kase));
  const exit = await host.settle(perform(host, (kase.argv ?? []).map(fill), gateway.send)).catch((error) => {
    if (!isSubmitError(error)) throw error;
    host.stderr.write(printError(error, { form: "sparkException" }));
    return 1;
  });
  const requests = (sparkVersion: string): unknown =>
    JSON.parse(
      scrub(
        JSON.stringify(
          gateway.requests.map(({ method, url, body }) => ({
            ...{ method, path: url.slice(server.length) },
            ...(body !== undefined && { contentType: "application/json", body: JSON.parse(body) }),
          })),
        ),
      ).replaceAll(`"clientSparkVersion":"${sparkVersion}"`, '"clientSparkVersion":"{{VERSION}}"'),
    );
  return { exit, text: host.errorText(), requests };
}

async function perform(host: TestHost, argv: readonly string[], send: SendRequest): Promise<number> {
  const invocation = orThrow(parseCommandLine(argv, newestLine));
  switch (invocation.action) {
    case "submit":
      return submitToGateway(await resolveSubmission({ host, log: sparkLog(host), invocation }), send);
    case "kill":
    case "status":
      await operateOnGateway(await resolveOperation({ host, invocation }), send);
      return 0;
    default:
      throw new Error(`no case asks for ${invocation.action}`);
  }
}

/** Builds the rules of the gateways. Without a recorded gateway, connections are refused. */
function rulesOf({ gateway }: GatewayCase): readonly GatewayRule[] {
  if (gateway === undefined) return [{ on: "", failure: "refused" }];
  return gateway.map(({ on, hangUp, ...rule }) => ({
    ...rule,
    on: on.replace(/^(\w+) ?/, `$1 ${server}`),
    ...(hangUp === true && { failure: "disconnected" as const }),
  }));
}

function scrub(text: string): string {
  return text
    .replaceAll(dir, "{{DIR}}")
    .replaceAll("127.0.0.1:40404", "127.0.0.1:{{PORT}}")
    .replace(/(submitTime(?:,|":"))\d+/g, "$1{{TIME}}");
}
