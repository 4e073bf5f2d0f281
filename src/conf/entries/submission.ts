import { entry, optionalEntry } from "../entry.ts";
import { boolean, integer, text } from "../kinds.ts";

export const context = optionalEntry(text, {
  key: "spark.kubernetes.context",
  doc: "The context of the kubeconfig; the current one unless given or where it is empty.",
  since: "3.0.0",
});

export const namespace = entry(text, {
  key: "spark.kubernetes.namespace",
  doc: "The namespace of all objects; the namespace of the kubeconfig is ignored.",
  since: "2.3.0",
  default: "default",
});

/** In ms. */
export const submissionRequestTimeout = entry(integer, {
  key: "spark.kubernetes.submission.requestTimeout",
  doc: "How long a request to the API server may take, in ms.",
  since: "3.0.0",
  default: "10000",
});

/** In ms. */
export const submissionConnectionTimeout = entry(integer, {
  key: "spark.kubernetes.submission.connectionTimeout",
  doc: "How long connecting to the API server may take, in ms.",
  since: "3.0.0",
  default: "10000",
});

export const trustCertificates = entry(boolean, {
  key: "spark.kubernetes.trust.certificates",
  doc: "Do not verify the certificate of the API server.",
  since: "3.2.0",
  default: "false",
});

export const callSystemExitOnMainExit = entry(boolean, {
  key: "spark.submit.callSystemExitOnMainExit",
  doc: "End the JVM when the application's main method ends.",
  since: "4.1.0",
  default: "false",
});
