import type { Pod } from "../kube/types.ts";

/** Annotation of a driver's pod whose uploads are removed with it: a JSON list of their directories. */
export const uploadsAnnotation = "firesteel.dev/uploads";

/** Whether the uploads of a driver are removed with it. */
export function hasUploads({ metadata }: Pod): boolean {
  return metadata?.annotations?.[uploadsAnnotation] !== undefined;
}
