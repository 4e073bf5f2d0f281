import type { CauseName } from "../diagnosis/causes.ts";
import type { Issue } from "../errors/issue.ts";

/** Names of the checks, in the order of the output. */
export const checkNames = [
  "arguments",
  "settings",
  "dynamic-allocation",
  "staging",
  "api",
  "credentials",
  "clock",
  "namespace",
  "permissions",
  "driver-permissions",
  "objects",
  "quota",
  "nodes",
  "user",
  "image",
  "admission",
] as const;

export type CheckName = (typeof checkNames)[number];

/** Result of one check, or one of its problems. A problem has a recommended action. */
export type Finding = FindingText &
  (
    | { readonly status: "failure" | "warning"; readonly fix: string }
    | { readonly status: "ok" | "skipped"; readonly fix?: string | undefined }
  );

interface FindingText {
  readonly check: CheckName;
  /** Cause that `firesteel diagnose` would report later, if there is a problem and it has a name. */
  readonly cause?: CauseName | undefined;
  /** One sentence with the names and values. */
  readonly reason: string;
  /** Key of the setting to change. */
  readonly key?: string | undefined;
}

/** Builds a finding of a check that found no problem. */
export function ok(check: CheckName, reason: string): Finding {
  return { check, status: "ok", reason };
}

/** Builds a finding of a setting or argument that a submission rejects. */
export function rejected(check: CheckName, { message, hint }: Pick<Issue, "message" | "hint">): Finding {
  const fix = hint ?? "Correct the setting or argument that the message names.";
  return { check, status: "failure", cause: "setting-invalid", reason: message, fix };
}

/** Builds a finding of a check that could not be done. */
export function skipped(check: CheckName, reason: string, fix?: string): Finding {
  return { check, status: "skipped", reason, fix };
}

/** `failure`: the application will not run. `warning`: it may not run, or not as intended. `skipped`: not checked. */
export type FindingStatus = Finding["status"];

/** Sorts findings by check, and removes those that repeat a problem that an earlier check reports. */
export function arrange(findings: readonly Finding[]): readonly Finding[] {
  const order = (finding: Finding) => checkNames.indexOf(finding.check);
  const sorted = [...findings].sort((a, b) => order(a) - order(b));
  return sorted.filter(
    ({ check, cause, reason }, index) =>
      !sorted
        .slice(0, index)
        .some(
          (earlier) =>
            (earlier.check === check && earlier.reason === reason) ||
            (check === "admission" && cause !== undefined && earlier.cause === cause),
        ),
  );
}
