export { type EmbeddedCluster, startCluster } from "./cluster.ts";
export type { ClusterOptions } from "./cluster-options.ts";
export type { NamedImage } from "./images/loaded/image-store.ts";
export { loadImages } from "./images/loaded/load-image.ts";
export { listImages, removeImage } from "./images/loaded/manage-images.ts";
