import { uiPort } from "../../../../../conf/entries/driver.ts";
import { pushExposesUi, pushServiceType } from "../../../../../conf/entries/pushing.ts";
import { messageOf } from "../../../../../errors/submit-error.ts";
import { type ResourceType, resourceTypeOf, resourceTypes } from "../../../../../kube/resources.ts";
import {
  externalUriAnnotations,
  type PushServiceType,
  pushServiceName,
} from "../../../../../plan/transports/push-service.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";

/** Redirects the service to the application's UI. Only logs a failure. */
export async function closeService({ client, driver, log }: TransferCall): Promise<void> {
  const { conf, namespace } = driver;
  const port = conf.get(uiPort);
  const patch = {
    metadata: { annotations: { [externalUriAnnotations.requestKey]: null } },
    spec: {
      type: conf.get(pushExposesUi) ? "NodePort" : "ClusterIP",
      ports: [{ name: "spark-ui-port", port, targetPort: port }],
      publishNotReadyAddresses: false,
    },
  };
  const name = pushServiceName(driver);
  const route = routeTypes[conf.get(pushServiceType)];
  try {
    await client.patch({ type: resourceTypes.service, namespace, name, patch });
    if (route !== undefined) await client.delete({ type: route, namespace, name });
  } catch (error) {
    log(
      "WARN",
      "Staging",
      `Cannot redirect the service ${name} from the init container to the UI: ${messageOf(error)}`,
    );
  }
}

/** Objects that lead to the init container only, by the type of its service. */
const routeTypes: Partial<Record<PushServiceType, ResourceType>> = {
  Ingress: resourceTypeOf({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" }),
  Gateway: resourceTypeOf({ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" }),
};
