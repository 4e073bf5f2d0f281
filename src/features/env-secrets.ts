import type { FeatureStep } from "./step.ts";

/** Environment variables from Secrets, set by `spark.kubernetes.<role>.secretKeyRef.<NAME>=<secret>:<key>`. */
export const envSecrets: FeatureStep = {
  name: "EnvSecretsFeatureStep",
  checkUse: ({ settingIssues }) => settingIssues.secretKeyRefs,
  contribute: ({ secretKeyRefs }) =>
    secretKeyRefs.length === 0
      ? {}
      : {
          env: secretKeyRefs.map(({ variable, secretName, key }) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: secretName, key } },
          })),
        },
};
