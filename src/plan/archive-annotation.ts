import { driverAnnotations } from "../conf/entries/driver.ts";

/** Annotation of a driver's pod whose bundle its cluster writes. */
export const archiveAnnotation = "firesteel.dev/archive";

/** Setting that adds the annotation to a driver. */
export const archiveAnnotationKey = `${driverAnnotations.prefix}${archiveAnnotation}`;
