import { pushAddress, pushGateway, pushIngressClass, pushPort } from "../../conf/entries/pushing.ts";
import type { KubeResource, Service } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import {
  externalUriAnnotations,
  type PushServiceType,
  pushBasePath,
  pushServiceName,
} from "../../plan/transports/push-service.ts";

/**
 * Objects through which the submitter reaches a waiting init container, by type. `masters/…/push/find-push-target.ts` finds
 * their URLs.
 */
export const pushServices: Readonly<Record<PushServiceType, (driver: DriverConf) => readonly KubeResource[]>> = {
  PortForward: () => [],
  NodePort: (driver) => [service(driver, { type: "NodePort" })],
  ExternalAnnotation: (driver) => [service(driver, { annotations: { [externalUriAnnotations.requestKey]: "true" } })],
  Ingress: (driver) => [service(driver), ingress(driver)],
  Gateway: (driver) => [service(driver), httpRoute(driver)],
  // The step adds the objects that lead to the service.
  FeatureStep: (driver) => [service(driver)],
};

function service(
  driver: DriverConf,
  { type = "ClusterIP", annotations }: { readonly type?: string; readonly annotations?: Record<string, string> } = {},
): KubeResource {
  const port = driver.conf.get(pushPort);
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadataOf(driver), ...(annotations && { annotations }) },
    spec: {
      type,
      selector: driver.labels,
      ports: [{ name: "submit-server", port, targetPort: port }],
      // A pod is not ready while its init containers run.
      publishNotReadyAddresses: true,
    },
  } satisfies Service;
  return service;
}

function ingress(driver: DriverConf): KubeResource {
  const ingressClassName = driver.conf.get(pushIngressClass);
  const backend = { service: { name: pushServiceName(driver), port: { name: "submit-server" } } };
  const path = { path: pushBasePath(driver), pathType: "Prefix", backend };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: metadataOf(driver),
    spec: {
      ...(ingressClassName !== undefined && { ingressClassName }),
      rules: [{ host: hostOf(driver), http: { paths: [path] } }],
    },
  };
}

function httpRoute(driver: DriverConf): KubeResource {
  const [name = "", namespace] = (driver.conf.get(pushGateway) ?? "").split("/").reverse();
  const path = { type: "PathPrefix", value: pushBasePath(driver) };
  const backend = { name: pushServiceName(driver), port: driver.conf.get(pushPort) };
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: metadataOf(driver),
    spec: {
      parentRefs: [{ name, ...(namespace !== undefined && { namespace }) }],
      hostnames: [hostOf(driver)],
      rules: [{ matches: [{ path }], backendRefs: [backend] }],
    },
  };
}

function metadataOf(driver: DriverConf) {
  return { name: pushServiceName(driver), namespace: driver.namespace };
}

/** Returns the host name in the address, which the check of the transport requires. */
function hostOf({ conf }: DriverConf): string {
  return new URL(conf.get(pushAddress) ?? "http://invalid").hostname;
}
