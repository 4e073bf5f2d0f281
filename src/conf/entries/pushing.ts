import { entry, optionalEntry } from "../entry.ts";
import { boolean, checked, duration, integer, oneOf, serverUrl, text } from "../kinds.ts";

/** Connections to a waiting init container: rows of `features/transports/push-services.ts` and `masters/…/push/find-push-target.ts`. */
const pushServiceTypes = [
  "PortForward",
  "NodePort",
  "Ingress",
  "Gateway",
  "ExternalAnnotation",
  "FeatureStep",
] as const;

/** Connection to a waiting init container. */
export const pushServiceType = entry(oneOf(pushServiceTypes), {
  key: "spark.firesteel.staging.push.serviceManagerType",
  alternatives: ["spark.kubernetes.driver.serviceManagerType"],
  doc: "Connection for sending files into the driver's pod: `PortForward` through the Kubernetes API, `NodePort` through a port of the nodes, `Ingress` through an Ingress, `Gateway` through an HTTPRoute of a Gateway, `ExternalAnnotation` through a URL that a controller of the cluster opens for an annotated service and stores in another annotation, `FeatureStep` through the URL that a module of `spark.firesteel.featureSteps` returns.",
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

export const pushAddress = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.push.address",
  doc: "With `Ingress` and `Gateway`: address of the Ingress controller or Gateway for the submitter, with the host name of the rule, e.g. `https://push.example`.",
  since: "firesteel",
});

export const pushIngressClass = optionalEntry(text, {
  key: "spark.firesteel.staging.push.ingressClass",
  doc: "With `Ingress`: class of the Ingress. The default is that of the cluster.",
  since: "firesteel",
});

/** `name` or `namespace/name`. */
export const pushGateway = optionalEntry(
  checked(
    text,
    (name) => /^([a-z0-9-]+\/)?[a-z0-9.-]+$/.test(name),
    "Must be the name of a Gateway, or NAMESPACE/NAME.",
  ),
  {
    key: "spark.firesteel.staging.push.gateway",
    doc: "With `Gateway`: Gateway of the HTTPRoute, as `NAME` or `NAMESPACE/NAME`.",
    since: "firesteel",
  },
);

export const pushTls = entry(boolean, {
  key: "spark.firesteel.staging.push.tls",
  doc: "With `NodePort`, `ExternalAnnotation` and `FeatureStep`: whether the init container accepts only TLS, with the certificate in `spark.firesteel.staging.push.tls.serverCertPem`.",
  since: "firesteel",
  default: "false",
});

/** Path or URI of a file here or, with `local:`, in the image of the init container. */
export const pushKeyPem = optionalEntry(text, {
  key: "spark.firesteel.staging.push.tls.keyPem",
  doc: "File with the private key of the init container, as PEM: on the submitter's machine, or `local:` in the image of the init container.",
  since: "firesteel",
});

/** Path or URI of a file here or, with `local:`, in the image of the init container. */
export const pushServerCertPem = optionalEntry(text, {
  key: "spark.firesteel.staging.push.tls.serverCertPem",
  doc: "File with the certificate of the init container and its chain, as PEM: on the submitter's machine, or `local:` in the image of the init container.",
  since: "firesteel",
});

export const pushAuthority = optionalEntry(text, {
  key: "spark.firesteel.staging.push.tls.clientCertPem",
  doc: "File on the submitter's machine with the CA certificate of the init container, the Ingress controller or the Gateway, as PEM. The default is the system's certificates.",
  since: "firesteel",
});
