import type { DriverConf } from "../driver-conf.ts";

/** The name of the service that leads to a waiting init container, where the way of it needs one. */
export function pushServiceName({ resourceNamePrefix }: Pick<DriverConf, "resourceNamePrefix">): string {
  return `${resourceNamePrefix}-push`;
}

/** Annotations between us and the controller that opens services to the outside. Source: Spark's first client for Kubernetes. */
export const externalUriAnnotations = {
  asked: "spark-job.alpha.apache.org/provideExternalUri",
  answered: "spark-job.alpha.apache.org/resolvedExternalUri",
} as const;
