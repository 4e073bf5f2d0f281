import type { StoredObject } from "../../api/store.ts";
import type { ApiScope } from "../../api/verbs/call.ts";
import { type Controller, workQueue } from "../controller.ts";
import { writeSlices } from "./endpoint-slices.ts";
import { removeEndpoints, writeEndpoints } from "./endpoints-object.ts";
import { isService, selects } from "./service-endpoints.ts";

/** Updates the endpoints of services with selectors. */
export const startEndpoints: Controller = (api) => {
  const { store } = api;
  const queue = workQueue(api, (key) => {
    const [namespace, name = ""] = key.split("/");
    const service = store.get("services", namespace, name);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
      removeEndpoints(api, namespace, name);
    } else if (isService(service) && hasSelector(service)) {
      writeSlices(api, service);
      writeEndpoints(api, service);
    }
  });
  const add = ({ metadata }: StoredObject) => queue.add(`${metadata.namespace}/${metadata.name}`);
  const stopListening = store.follow(({ collection, object, previous }) => {
    if (collection === "services") add(object);
    if (collection === "nodes") for (const service of store.list("services")) add(service);
    if (collection === "pods") for (const service of servicesOf(api, object, previous)) add(service);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

function servicesOf({ store }: ApiScope, pod: StoredObject, previous: StoredObject | undefined) {
  const states = previous === undefined ? [pod] : [pod, previous];
  return store
    .list("services", pod.metadata.namespace)
    .filter(isService)
    .filter((service) => states.some((state) => selects(service, state)));
}

function hasSelector({ spec }: { readonly spec?: { readonly selector?: object } }): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}
