import type { PodView } from "../pod-view.ts";

/** Whether a path is in a volume of a pod's main container. */
export function isMounted({ main }: PodView, path: string): boolean {
  return (main.spec?.volumeMounts ?? []).some(({ mountPath }) =>
    `${path}/`.startsWith(`${mountPath.replace(/\/$/, "")}/`),
  );
}
