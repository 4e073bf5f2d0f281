import type { CauseName } from "../diagnosis/causes.ts";

/** Names of the checks, in the order of the output. */
export const checkNames = [
  "arguments",
  "settings",
  "dynamic-allocation",
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

/** `failure`: the application will not run. `warning`: it may not run, or not as intended. `skipped`: not checked. */
export type FindingStatus = "ok" | "warning" | "failure" | "skipped";

/** Result of one check, or one of its problems. */
export interface Finding {
  readonly check: CheckName;
  readonly status: FindingStatus;
  /** Cause that `firesteel diagnose` would report later, if there is a problem and it has a name. */
  readonly cause?: CauseName | undefined;
  /** One sentence with the names and values. */
  readonly reason: string;
  /** Recommended action; absent if there is nothing to do. */
  readonly fix?: string | undefined;
  /** Key of the setting to change. */
  readonly key?: string | undefined;
}

/** Builds a finding of a check that found no problem. */
export function ok(check: CheckName, reason: string): Finding {
  return { check, status: "ok", reason };
}

/** Builds a finding of a check that could not be done. */
export function skipped(check: CheckName, reason: string, fix?: string): Finding {
  return { check, status: "skipped", reason, fix };
}

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
