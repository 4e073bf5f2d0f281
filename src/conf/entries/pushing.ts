import { entry } from "../entry.ts";
import { boolean, checked, duration, integer, oneOf } from "../kinds.ts";

/** Connection to a waiting init container. */
export const pushServiceType = entry(oneOf(["PortForward", "NodePort", "ExternalAnnotation"]), {
  key: "spark.firesteel.staging.push.serviceManagerType",
  alternatives: ["spark.kubernetes.driver.serviceManagerType"],
  doc: "How files are sent into the driver's pod: `PortForward` through the Kubernetes API, `NodePort` through a port of the nodes, `ExternalAnnotation` through what a controller of the cluster opens for an annotated service, and names in another annotation.",
  since: "firesteel",
  default: "PortForward",
});

export const pushPort = entry(
  checked(integer, (port) => port >= 1024 && port <= 65_535, "Must be between 1024 and 65535."),
  {
    key: "spark.firesteel.staging.push.port",
    doc: "The port on which the init container waits in the driver's pod.",
    since: "firesteel",
    default: "7077",
  },
);

/** In ms. */
export const pushTimeout = entry(
  checked(duration("ms"), (limit) => limit > 0, "Must be more than 0."),
  {
    key: "spark.firesteel.staging.push.timeout",
    alternatives: ["spark.kubernetes.driverSubmissionTimeout"],
    doc: "After this time the init container must wait for the files, and what leads to it must be there; else the driver is deleted and the submission fails.",
    since: "firesteel",
    default: "10min",
  },
);

export const pushUsesInternalAddresses = entry(boolean, {
  key: "spark.firesteel.staging.push.internalAddresses",
  doc: "With `NodePort`: nodes are also reached by the addresses that they have within the cluster.",
  since: "firesteel",
  default: "false",
});

export const pushExposesUi = entry(boolean, {
  key: "spark.firesteel.staging.push.exposeUiPort",
  alternatives: ["spark.kubernetes.driver.service.exposeUiPort"],
  doc: "What led to the waiting init container then leads to the application's pages from outside the cluster, and not only within it.",
  since: "firesteel",
  default: "false",
});
