/** Returns the name of the Service through which files are pushed to the waiting init container. */
export function pushServiceName({ resourceNamePrefix }: { readonly resourceNamePrefix: string }): string {
  return `${resourceNamePrefix}-push`;
}

/** Annotations by which a controller is asked to expose a Service, and responds. Source: Spark's first client for Kubernetes. */
export const externalUriAnnotations = {
  requestKey: "spark-job.alpha.apache.org/provideExternalUri",
  responseKey: "spark-job.alpha.apache.org/resolvedExternalUri",
} as const;
