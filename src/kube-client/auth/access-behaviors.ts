/** Behaviors in which kubectl and Spark's client library (`spark`) differ. */
export interface AccessBehaviors {
  /** Contexts, files and fields of a kubeconfig. */
  readonly kubeconfig: "kubectl" | "spark";
  /** Precedence of credentials that name the same account. */
  readonly credentials: "kubectl" | "spark";
  /** A failed credential program or token refresh. */
  readonly credentialErrors: "reject" | "spark";
  readonly proxy: "kubectl" | "spark";
  readonly requestRetries: "byReason" | "spark";
  /** Names in request paths. */
  readonly resourceNames: "escaped" | "spark";
}

export const kubectlBehaviors: AccessBehaviors = {
  kubeconfig: "kubectl",
  credentials: "kubectl",
  credentialErrors: "reject",
  proxy: "kubectl",
  requestRetries: "byReason",
  resourceNames: "escaped",
};
