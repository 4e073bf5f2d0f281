import { secretKeyRefs } from "../conf/entries/secrets.ts";
import { issue } from "../errors/issue.ts";
import type { FeatureStep } from "./step.ts";

/** Environment variables out of secrets, from `spark.kubernetes.<role>.secretKeyRef.<NAME>=<secret>:<key>`. */
export const envSecrets: FeatureStep = {
  name: "EnvSecretsFeatureStep",
  checkUse: ({ conf, role }) =>
    [...conf.withPrefix(secretKeyRefs[role])]
      .filter(([, text]) => parseSecretKeyRef(text) === undefined)
      .map(([name]) => issue("SUBMIT_ERR_SECRET_KEY_REF", { key: `${secretKeyRefs[role].prefix}${name}` })),
  contribute: ({ conf, role }) => ({
    env: [...conf.withPrefix(secretKeyRefs[role])].flatMap(([name, text]) => {
      const secretKeyRef = parseSecretKeyRef(text);
      return secretKeyRef === undefined ? [] : [{ name, valueFrom: { secretKeyRef } }];
    }),
  }),
};

/** Exactly two parts; empty ones at the end do not count, so `a:` is one and `:b` is two. */
function parseSecretKeyRef(text: string): { readonly name: string; readonly key: string } | undefined {
  const [name, key, ...more] = text.replace(/:+$/, "").split(":");
  return name === undefined || key === undefined || more.length > 0 ? undefined : { name, key };
}
