import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestChild } from "../../host/test-children.ts";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { type ResolveInput, resolve } from "./draft-request.ts";

const noFlags = {
  propertiesFile: undefined,
  extraPropertiesFiles: [],
  loadsDefaults: false,
  supervise: false,
  verbose: false,
};

/** Inputs of a drafted request. */
export interface TestDraft {
  readonly fields?: SubmitInvocation["fields"];
  readonly conf?: Readonly<Record<string, string>>;
  readonly resource?: string;
  readonly more?: Partial<SubmitInvocation>;
  readonly machine?: TestHostOptions;
  readonly input?: Partial<ResolveInput>;
  /** Controls a child of the machine. */
  readonly spawn?: (host: TestHost, child: TestChild) => unknown;
}

/** Drafts the request of a submission. */
export async function draftRequest(
  draft: TestDraft,
): Promise<{ request: SubmitRequest; host: TestHost; warnings: string[] }> {
  const { fields = {}, conf = {}, resource = "local:///app.jar", more, machine, input, spawn } = draft;
  const script = spawn === undefined ? {} : { spawn: (child: TestChild) => spawn(host, child) };
  const host: TestHost = testHost({ cwd: "/w", ...machine, ...script });
  const warnings: string[] = [];
  const invocation: SubmitInvocation = {
    action: "submit",
    resource,
    appArgs: [],
    isExample: false,
    forwardedOptions: [],
    fields: { master: "k8s://https://h:6443", deployMode: "cluster", mainClass: "M", ...fields },
    settings: Object.entries(conf).map(([key, value]) => ({ key, value, origin: { kind: "conf" } })),
    ...noFlags,
    ...more,
  };
  const log: ResolveInput["log"] = (_level, _logger, text) => warnings.push(text);
  return { request: await resolve({ host, invocation, log, ...input }), host, warnings };
}

/** Returns the problems of a submission that is rejected. */
export async function draftProblems(draft: TestDraft): Promise<readonly string[]> {
  const error: unknown = await draftRequest(draft).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isSubmitError(error) ? error.issues.map(({ code, message }) => `${code}: ${message}`) : [String(error)];
}
