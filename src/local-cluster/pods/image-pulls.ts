import type { Container } from "../../kube/types.ts";
import type { Image, ImageFailure, ImageResult, Images } from "../images/image.ts";
import type { PodEvent } from "./pod-events.ts";

/** Pulls of images for a pod's containers, with the kubelet's back-off between failures. */
export interface ImagePulls {
  readonly pull: (
    container: Container,
    record: (event: PodEvent) => void,
  ) => Promise<{ readonly image: Image } | PullFailure>;
}

/** Reason and message of a waiting container. */
export interface PullFailure {
  readonly reason: string;
  readonly message: string;
  /** Ms since 1970: time of the next attempt or status change. */
  readonly retryAt: number;
}

interface BackOff {
  readonly ms: number;
  /** Ms since 1970. */
  readonly until: number;
  readonly why: string;
}

const initialDelayMs = 10_000;
const maxDelayMs = 300_000;
/** Time for which the status shows the failure before it shows the back-off. */
const failureDisplayMs = 1000;

/**
 * Creates the pulls of one pod. After a failure, the status shows ErrImagePull, then ImagePullBackOff until the next
 * attempt.
 */
export function imagePulls(images: Pick<Images, "find">, now: () => number): ImagePulls {
  const backOffs = new Map<string, BackOff>();

  function recordPullFailure(
    container: Container,
    record: RecordEvent,
    { reason, message }: ImageFailure,
  ): PullFailure {
    const { name, image: reference = "" } = container;
    if (reason === "InvalidImageName") {
      record({ type: "Warning", reason: "InspectFailed", message });
      record({ type: "Warning", reason: "Failed", message: "Error: InvalidImageName" });
      return { reason, message, retryAt: now() + initialDelayMs };
    }
    const backOff = backOffs.get(name);
    const ms = backOff === undefined ? initialDelayMs : Math.min(backOff.ms * 2, maxDelayMs);
    backOffs.set(name, { ms, until: now() + ms, why: message });
    record({ type: "Warning", reason: "Failed", message: `Failed to pull image "${reference}": ${message}` });
    record({ type: "Warning", reason: "Failed", message: "Error: ErrImagePull" });
    return { reason, message, retryAt: now() + failureDisplayMs };
  }

  async function fetchImage(container: Container, record: RecordEvent, get: () => Promise<ImageResult>) {
    const { name, image: reference = "" } = container;
    record({ type: "Normal", reason: "Pulling", message: `Pulling image "${reference}"` });
    const start = now();
    const result = await get();
    if (!("image" in result)) return recordPullFailure(container, record, result);
    backOffs.delete(name);
    const took = printDuration(now() - start);
    const message = `Successfully pulled image "${reference}" in ${took} (${took} including waiting)`;
    record({ type: "Normal", reason: "Pulled", message });
    return result;
  }

  return {
    async pull(container, record) {
      const { name, image: reference = "", imagePullPolicy } = container;
      const backOff = backOffs.get(name);
      if (backOff !== undefined && now() < backOff.until) return backOffFailure(reference, backOff, record);
      const result = await images.find(reference);
      if ("image" in result) {
        backOffs.delete(name);
        const message = `Container image "${reference}" already present on machine and can be accessed by the pod`;
        record({ type: "Normal", reason: "Pulled", message });
        return result;
      }
      if ("reason" in result && result.reason === "InvalidImageName")
        return recordPullFailure(container, record, result);
      if (imagePullPolicy === "Never") return neverPulled(reference, now(), record);
      return await fetchImage(container, record, "fetch" in result ? result.fetch : async () => result);
    },
  };
}

type RecordEvent = (event: PodEvent) => void;

function backOffFailure(reference: string, { until, why }: BackOff, record: RecordEvent): PullFailure {
  record({ type: "Normal", reason: "BackOff", message: `Back-off pulling image "${reference}"` });
  record({ type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff" });
  const message = `Back-off pulling image "${reference}": ErrImagePull: ${why}`;
  return { reason: "ImagePullBackOff", message, retryAt: until };
}

function neverPulled(reference: string, now: number, record: RecordEvent): PullFailure {
  const message = `Container image "${reference}" is not present with pull policy of Never`;
  record({ type: "Warning", reason: "ErrImageNeverPull", message });
  record({ type: "Warning", reason: "Failed", message: "Error: ErrImageNeverPull" });
  return { reason: "ErrImageNeverPull", message, retryAt: now + initialDelayMs };
}

/** Formats a duration below a minute as Go does, for the kubelet's messages. */
function printDuration(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}
