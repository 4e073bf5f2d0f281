import { secrets } from "../conf/entries/secrets.ts";
import type { FeatureStep } from "./step.ts";

/** Existing Secrets, mounted at the paths of `spark.kubernetes.<role>.secrets.<name>`. */
export const mountSecrets: FeatureStep = {
  name: "MountSecretsFeatureStep",
  contribute: ({ conf, role }) => {
    const mounts = [...conf.withPrefix(secrets[role])];
    if (mounts.length === 0) return {};
    return {
      volumes: mounts.map(([secretName]) => ({ name: volumeName(secretName), secret: { secretName } })),
      mounts: mounts.map(([secretName, mountPath]) => ({ name: volumeName(secretName), mountPath })),
    };
  },
};

function volumeName(secretName: string): string {
  return `${secretName}-volume`;
}
