/** Returns the name of the Service through which files are pushed to the waiting init container. */
export function pushServiceName({ resourceNamePrefix }: { readonly resourceNamePrefix: string }): string {
  return `${resourceNamePrefix}-push`;
}

/** Annotations between us and the controller that opens services to the outside. Source: Spark's first client for Kubernetes. */
export const externalUriAnnotations = {
  asked: "spark-job.alpha.apache.org/provideExternalUri",
  answered: "spark-job.alpha.apache.org/resolvedExternalUri",
} as const;
