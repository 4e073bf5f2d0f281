import { secretKeyRefs } from "../conf/entries/secrets.ts";
import type { Role } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";

/** Environment variable whose value is a key of a Secret. */
export interface SecretKeyRef {
  readonly variable: string;
  readonly secretName: string;
  readonly key: string;
}

/**
 * Parses `spark.kubernetes.<role>.secretKeyRef.<VARIABLE>=<secret>:<key>`.
 *
 * Errors: SUBMIT_ERR_SECRET_KEY_REF.
 */
export function planSecretKeyRefs(conf: SparkConf, role: Role): Result<readonly SecretKeyRef[]> {
  const refs: SecretKeyRef[] = [];
  const issues: Issue[] = [];
  for (const [variable, text] of conf.withPrefix(secretKeyRefs[role])) {
    // As Java's `split`: empty parts at the end do not count, so `a:` has one part and `:b` has two.
    const [secretName, key, ...more] = text.replace(/:+$/, "").split(":");
    if (secretName === undefined || key === undefined || more.length > 0) {
      issues.push(issue("SUBMIT_ERR_SECRET_KEY_REF", { key: `${secretKeyRefs[role].prefix}${variable}` }));
    } else {
      refs.push({ variable, secretName, key });
    }
  }
  return unlessIssues(issues, refs);
}
