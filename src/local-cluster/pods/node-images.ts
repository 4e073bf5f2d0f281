import { isObject } from "../api/json.ts";
import type { ListedImage } from "../images/image.ts";
import type { NodeContext } from "./node-context.ts";
import { nodeName } from "./node-object.ts";

/** Maximum number of images in the status. Source: nodeStatusMaxImages of the kubelet. */
const maxImages = 50;
/** Interval at which changed images are reported. Shorter than the kubelet's 10 s: a client may load an image and check for it at once. */
const intervalMs = 2000;

/** Builds the part of a node's status for its images, the largest first. A node without images has none. */
export function imageStatus(images: readonly ListedImage[]): { readonly images?: readonly object[] } {
  const largest = [...images].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, maxImages);
  return largest.length === 0 ? {} : { images: largest.map(({ names, sizeBytes }) => ({ names, sizeBytes })) };
}

/** Reports changes of the images in the status of the node. @returns a function that stops this */
export function startImageReports({ host, store, images, link }: NodeContext): () => void {
  let reported = images.list();
  const report = () => {
    const current = images.list();
    if (current !== reported && !link.isDisconnected) {
      reported = current;
      store.update("nodes", undefined, nodeName, (node) => {
        const { images: _, ...status } = isObject(node["status"]) ? node["status"] : {};
        return { ...node, status: { ...status, ...imageStatus(current) } };
      });
    }
    cancel = host.clock.after(intervalMs, report);
  };
  let cancel = host.clock.after(intervalMs, report);
  return () => cancel();
}
