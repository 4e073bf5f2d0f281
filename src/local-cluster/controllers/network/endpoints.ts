import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { selects } from "../../pods/endpoints.ts";
import { endpointSlices, sliceService } from "../../pods/service-targets.ts";
import { isService } from "../../pods/stored-object.ts";
import { type Controller, keyOf, startReconciler } from "../controller.ts";
import { sliceController, writeSlices } from "./endpoint-slices.ts";
import { removeEndpoints, writeEndpoints } from "./endpoints-object.ts";
import { managedBy } from "./own-slices.ts";

/** Updates the endpoints of services with selectors. */
export const startEndpoints: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object, previous }, add) {
      if (collection === "services") add(keyOf(object));
      // A slice that others have deleted or changed is restored.
      const own = collection === endpointSlices ? sliceOwner(object) : undefined;
      if (own !== undefined) add(own);
      if (collection === "endpoints" && type === "DELETED") add(keyOf(object));
      if (collection === "nodes") for (const service of api.store.list("services")) add(keyOf(service));
      if (collection === "pods") for (const service of servicesOf(api, object, previous)) add(keyOf(service));
    },
    work(key) {
      const [namespace, name = ""] = key.split("/");
      const service = api.store.get("services", namespace, name);
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
        removeEndpoints(api, namespace, name);
      } else if (isService(service) && Object.keys(service.spec?.selector ?? {}).length > 0) {
        writeSlices(api, service);
        writeEndpoints(api, service);
      }
    },
  });

/** Returns the key of the service whose slice this is; `undefined` for a slice that others maintain. */
function sliceOwner({ metadata: { namespace, labels } }: StoredObject): string | undefined {
  if (labels?.[managedBy] !== sliceController) return undefined;
  const name = labels[sliceService];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

function servicesOf({ store }: ApiScope, pod: StoredObject, previous: StoredObject | undefined) {
  const states = previous === undefined ? [pod] : [pod, previous];
  return store
    .list("services", pod.metadata.namespace)
    .filter(isService)
    .filter((service) => states.some((state) => selects(service, state)));
}
