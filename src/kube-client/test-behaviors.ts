import { type AccessBehaviors, kubectlBehaviors } from "./auth/access-behaviors.ts";

/** Behaviors of Spark's client library. */
export const sparkBehaviors: AccessBehaviors = {
  kubeconfig: "spark",
  credentials: "spark",
  credentialErrors: "spark",
  proxy: "spark",
  requestRetries: "spark",
  resourceNames: "spark",
};

export { kubectlBehaviors };
