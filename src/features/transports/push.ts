import { pushPort, pushServiceType } from "../../conf/entries/pushing.ts";
import type { KubeResource, Service } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingPath } from "../../plan/localizing-names.ts";
import { externalUriAnnotations, pushServiceName } from "../../plan/transports/push-service.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";

/** Whoever sends tells how long it takes; the init container ends by itself when nobody sends. */
const timeoutSeconds = 7 * 24 * 3600;

/** An init container that waits for the files, and what leads to it. */
export function contributePush(driver: DriverConf, localized: LocalizedDependencies): Contribution {
  const entries = localized.entries.map(({ path: _, ...entry }) => entry);
  const secretFile = localizingPath("token");
  const source = { kind: "push", port: driver.conf.get(pushPort), secretFile, entries };
  const { resources = [], ...rest } = contributeLocalizing(driver, localized, {
    sources: [source],
    timeoutSeconds,
  });
  return { ...rest, resources: [...resources, ...services(driver)] };
}

function services(driver: DriverConf): readonly KubeResource[] {
  const way = driver.conf.get(pushServiceType);
  if (way === "PortForward") return [];
  const port = driver.conf.get(pushPort);
  const annotations =
    way === "NodePort" ? {} : { annotations: { [externalUriAnnotations.requestKey]: "true" } };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: pushServiceName(driver), namespace: driver.namespace, ...annotations },
    spec: {
      type: way === "NodePort" ? "NodePort" : "ClusterIP",
      selector: driver.labels,
      ports: [{ name: "submit-server", port, targetPort: port }],
      // A pod is not ready while its init containers run.
      publishNotReadyAddresses: true,
    },
  } satisfies Service;
  return [service];
}
