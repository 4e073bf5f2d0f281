import type { Pod } from "../../../kube/types.ts";

/** Returns the name of the driver's container in a pod manifest: the last one. Webhooks may add others to the created pod. */
export function driverContainerName({ spec }: Pod): string {
  return spec?.containers.at(-1)?.name ?? "";
}
