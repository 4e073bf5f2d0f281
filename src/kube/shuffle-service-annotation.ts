/** Annotation of a node with a shuffle service besides the DaemonSet of the Helm chart. */
export const shuffleServiceAnnotation = "firesteel/shuffle-service";
