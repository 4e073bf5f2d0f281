import { entry, optionalEntry } from "../entry.ts";
import { boolean, integer, text } from "../kinds.ts";

export const context = optionalEntry(text, {
  key: "spark.kubernetes.context",
  doc: "The context of the kubeconfig. The default is the current context, also for an empty value.",
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
  doc: "Timeout of a request to the API server, in ms.",
  since: "3.0.0",
  default: "10000",
});

/** In ms. */
export const submissionConnectionTimeout = entry(integer, {
  key: "spark.kubernetes.submission.connectionTimeout",
  doc: "Timeout of a connection to the API server, in ms.",
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
  doc: "Exit the JVM when the application's main method returns.",
  since: "4.1.0",
  default: "false",
});
