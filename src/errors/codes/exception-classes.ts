/** Java classes that Spark names before a message; only strict mode prints them. */
export const exceptionClasses = {
  illegalArgument: "java.lang.IllegalArgumentException",
  /** Thrown by Spark's Kubernetes client when the API rejects a call or cannot be reached. */
  kubernetes: "io.fabric8.kubernetes.client.KubernetesClientException",
  noSuchElement: "java.util.NoSuchElementException",
  spark: "org.apache.spark.SparkException",
  uriSyntax: "java.net.URISyntaxException",
} as const;
