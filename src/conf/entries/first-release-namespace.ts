/** Key that the option `--kubernetes-namespace` of the first releases sets. */
export const firstReleaseNamespace = "spark.kubernetes.submit.namespace";
