import type { Pod } from "../kube/types.ts";

/** On the driver's pod, if its uploads are to go with it: their folders, as a list in JSON. */
export const uploadsAnnotation = "firesteel.dev/uploads";

/** Whether a driver has uploads that go with it. */
export function hasUploads({ metadata }: Pod): boolean {
  return metadata?.annotations?.[uploadsAnnotation] !== undefined;
}
