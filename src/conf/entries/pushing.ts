import { entry } from "../entry.ts";
import { boolean, checked, duration, integer, oneOf } from "../kinds.ts";

/** Connection to a waiting init container. */
export const pushServiceType = entry(oneOf(["PortForward", "NodePort", "ExternalAnnotation"]), {
  key: "spark.firesteel.staging.push.serviceManagerType",
  alternatives: ["spark.kubernetes.driver.serviceManagerType"],
  doc: "Connection for sending files into the driver's pod: `PortForward` through the Kubernetes API, `NodePort` through a port of the nodes, `ExternalAnnotation` through a URL that a controller of the cluster opens for an annotated service and stores in another annotation.",
  since: "firesteel",
  default: "PortForward",
});

export const pushPort = entry(
  checked(integer, (port) => port >= 1024 && port <= 65_535, "Must be between 1024 and 65535."),
  {
    key: "spark.firesteel.staging.push.port",
    doc: "Port on which the init container waits in the driver's pod.",
    since: "firesteel",
    default: "7077",
  },
);

/** Time in ms. */
export const pushTimeout = entry(
  checked(duration("ms"), (limit) => limit > 0, "Must be more than 0."),
  {
    key: "spark.firesteel.staging.push.timeout",
    doc: "Time within which the init container must be ready and reachable. Otherwise the driver is deleted and the submission fails.",
    since: "firesteel",
    default: "10min",
  },
);

export const pushUsesInternalAddresses = entry(boolean, {
  key: "spark.firesteel.staging.push.internalAddresses",
  doc: "With `NodePort`: also connect to the internal addresses of nodes.",
  since: "firesteel",
  default: "false",
});

export const pushExposesUi = entry(boolean, {
  key: "spark.firesteel.staging.push.exposeUiPort",
  alternatives: ["spark.kubernetes.driver.service.exposeUiPort"],
  doc: "Use the Service for the init container afterwards for the application's web pages, also from outside the cluster.",
  since: "firesteel",
  default: "false",
});
