import type { Issue } from "../errors/issue.ts";
import { reservedKeyIssues } from "./admission.ts";
import type { ApplicationSpec } from "./application.ts";

/** Treatment of keys of `sparkConf` that the operator rejects. */
export type ReservedKeys = "reject" | "warn";

interface ReservedKeysInput {
  readonly file: string;
  /** Namespace of the application. */
  readonly namespace: string;
  readonly reservedKeys: ReservedKeys;
}

/** Checks the keys of `sparkConf`. Errors, in `issues`: SUBMIT_ERR_MANIFEST_RESERVED_KEY. */
export function checkReservedKeys(spec: ApplicationSpec, { reservedKeys, ...context }: ReservedKeysInput) {
  const reserved = reservedKeyIssues(spec, context);
  const noIssues: readonly Issue[] = [];
  const noTexts: readonly string[] = [];
  return reservedKeys === "reject"
    ? { issues: reserved, tolerated: noTexts }
    : { issues: noIssues, tolerated: reserved.map(({ message }) => message) };
}
