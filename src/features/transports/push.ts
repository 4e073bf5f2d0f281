import { pushPort, pushServiceType } from "../../conf/entries/pushing.ts";
import type { KubeResource, Service } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingPath } from "../../plan/localizing-names.ts";
import { externalUriAnnotations, pushServiceName } from "../../plan/transports/push-service.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";

/** Time after which the init container ends by itself if no files arrive. The submission enforces its own timeout. */
const timeoutSeconds = 7 * 24 * 3600;

/** Adds an init container that waits for the files, and the Service through which they are sent. */
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
  const type = driver.conf.get(pushServiceType);
  if (type === "PortForward") return [];
  const port = driver.conf.get(pushPort);
  const annotations = type === "NodePort" ? {} : { annotations: { [externalUriAnnotations.requestKey]: "true" } };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: pushServiceName(driver), namespace: driver.namespace, ...annotations },
    spec: {
      type: type === "NodePort" ? "NodePort" : "ClusterIP",
      selector: driver.labels,
      ports: [{ name: "submit-server", port, targetPort: port }],
      // A pod is not ready while its init containers run.
      publishNotReadyAddresses: true,
    },
  } satisfies Service;
  return [service];
}
