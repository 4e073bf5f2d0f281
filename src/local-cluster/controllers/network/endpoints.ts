import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { selects } from "../../pods/endpoints.ts";
import { isService } from "../../pods/stored-object.ts";
import { type Controller, keyOf, startReconciler } from "../controller.ts";
import { writeSlices } from "./endpoint-slices.ts";
import { removeEndpoints, writeEndpoints } from "./endpoints-object.ts";

/** Updates the endpoints of services with selectors. */
export const startEndpoints: Controller = (api) =>
  startReconciler(api, {
    observe({ collection, object, previous }, add) {
      if (collection === "services") add(keyOf(object));
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

function servicesOf({ store }: ApiScope, pod: StoredObject, previous: StoredObject | undefined) {
  const states = previous === undefined ? [pod] : [pod, previous];
  return store
    .list("services", pod.metadata.namespace)
    .filter(isService)
    .filter((service) => states.some((state) => selects(service, state)));
}
