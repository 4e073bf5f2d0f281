import type { Setting } from "../../conf/setting.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import { sparkLog } from "../../host/log.ts";
import type { ChildScript } from "../../host/test-children.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { resolveOperation } from "../../resolve/resolve-operation.ts";
import { resolveSubmission } from "../../resolve/resolve-submission.ts";
import { operateOnGateway } from "./operate-on-gateway.ts";
import { submitToGateway } from "./submit-to-gateway.ts";
import { type GatewayRule, type TestGateway, testGateway } from "./test-gateway.ts";

/** Inputs of a submission to in-memory gateways. */
export interface TestSubmission {
  /** @default spark://h:6066 */
  readonly master?: string;
  readonly strict?: boolean;
  /** @default 4.3.0 */
  readonly version?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly fields?: SubmitInvocation["fields"];
  readonly verbose?: boolean;
  readonly supervise?: boolean;
  readonly resource?: string;
  /** @default every command is missing */
  readonly spawn?: ChildScript;
  readonly rules?: readonly GatewayRule[] | ((host: () => TestHost) => readonly GatewayRule[]);
}

/** Outcome of a test submission. */
interface TestEnd {
  /** Exit code, or the codes of the error. */
  readonly end: number | readonly string[];
  /** Messages and hints of the error. */
  readonly messages: string;
  readonly host: TestHost;
  readonly gateway: TestGateway;
}

/** Submits and advances the clock until the submission ends. */
export function submitOnce(submission: TestSubmission = {}): Promise<TestEnd> {
  const { fields, resource = "file:/a.jar", supervise = false, verbose = false } = submission;
  return attempt(submission, async (host, { send }) => {
    const master = submission.master ?? "spark://h:6066";
    const invocation: SubmitInvocation = {
      ...{
        action: "submit",
        resource,
        appArgs: ["1", "two"],
        isExample: false,
        forwardedOptions: [],
        verbose,
        supervise,
      },
      fields: { master, deployMode: "cluster", mainClass: "M", ...fields },
      settings: settingsOf(submission),
      ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false },
    };
    return submitToGateway(await resolveSubmission({ host, log: sparkLog(host), invocation }), send);
  });
}

/** Runs `--kill` or `--status`. The exit code is 0 if the driver exists, else 1. */
export function operateOnce(
  action: "kill" | "status",
  submission: TestSubmission & { readonly id: string; readonly json?: boolean },
): Promise<TestEnd> {
  return attempt(submission, async (host, { send }) => {
    const operation = await resolveOperation({
      host,
      invocation: {
        ...{ action, submissionId: submission.id, json: submission.json ?? false },
        ...{ fields: { master: submission.master ?? "spark://h:6066" }, settings: settingsOf(submission) },
        ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false },
        ...{ supervise: false, verbose: false },
      },
    });
    const { isFound } = await operateOnGateway(operation, send);
    return isFound ? 0 : 1;
  });
}

function settingsOf({ settings = {} }: TestSubmission): readonly Setting[] {
  return Object.entries(settings).map(([key, value]) => ({ key, value, origin: { kind: "conf" } }));
}

async function attempt(
  { strict = false, version = "4.3.0", env = {}, files = {}, rules = [], spawn }: TestSubmission,
  act: (host: TestHost, gateway: TestGateway) => Promise<number>,
): Promise<TestEnd> {
  const variables = { FIRESTEEL_SPARK_VERSION: version, ...(strict && { FIRESTEEL_STRICT: "1" }) };
  const host: TestHost = testHost({ env: { ...variables, ...env }, files, ...(spawn && { spawn }) });
  const gateway = testGateway(typeof rules === "function" ? rules(() => host) : rules);
  try {
    return { end: await host.settle(act(host, gateway)), messages: "", host, gateway };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    const messages = error.issues.map(({ message, hint = "" }) => `${message}\n${hint}\n`).join("");
    return { end: error.issues.map(({ code }) => code), messages, host, gateway };
  }
}
