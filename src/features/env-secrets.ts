import { secretKeyRefs } from "../conf/entries/secrets.ts";
import { failure, issuesOf, type Result, success } from "../errors/issue.ts";
import type { FeatureStep } from "./step.ts";

/** Environment variables out of secrets, from `spark.kubernetes.<role>.secretKeyRef.<NAME>=<secret>:<key>`. */
export const envSecrets: FeatureStep = {
  name: "EnvSecretsFeatureStep",
  check: ({ conf, role }) =>
    [...conf.withPrefix(secretKeyRefs[role])].flatMap(([variable, text]) =>
      issuesOf(parseSecretKeyRef(text, `${secretKeyRefs[role].prefix}${variable}`)),
    ),
  contribute: ({ conf, role }) => ({
    env: [...conf.withPrefix(secretKeyRefs[role])].flatMap(([name, text]) => {
      const reference = parseSecretKeyRef(text, name);
      return reference.ok ? [{ name, valueFrom: { secretKeyRef: reference.value } }] : [];
    }),
  }),
};

/** Exactly two parts; empty ones at the end do not count, so `a:` is one and `:b` is two. */
function parseSecretKeyRef(
  text: string,
  key: string,
): Result<{ readonly name: string; readonly key: string }> {
  const [name, secretKey, ...more] = text.replace(/:+$/, "").split(":");
  return name === undefined || secretKey === undefined || more.length > 0
    ? failure("SUBMIT_ERR_SECRET_KEY_REF", { key })
    : success({ name, key: secretKey });
}
