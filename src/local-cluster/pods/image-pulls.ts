import type { Container } from "../../kube/types.ts";
import type { Image, Images } from "../images/image.ts";
import type { PodEvent } from "./pod-events.ts";

/** Gets the images of a pod's containers, with the kubelet's pauses between failures. */
export interface ImagePulls {
  readonly pull: (
    container: Container,
    record: (event: PodEvent) => void,
  ) => Promise<{ readonly image: Image } | PullFailure>;
}

/** Shown as a waiting container's reason and message. */
export interface PullFailure {
  readonly reason: string;
  readonly message: string;
  /** Ms since 1970: when to try, or to say, the next thing. */
  readonly retryAt: number;
}

interface Pause {
  readonly ms: number;
  /** Ms since 1970. */
  readonly until: number;
  readonly why: string;
}

const firstPauseMs = 10_000;
const longestPauseMs = 300_000;
/** How long a failure is shown before the pause is. */
const failureShownMs = 1000;

/** Pulls for one pod: after a failure it says ErrImagePull, then ImagePullBackOff until the next try is due. */
export function imagePulls(images: Images, now: () => number): ImagePulls {
  const pauses = new Map<string, Pause>();
  return {
    async pull({ name, image: reference = "", imagePullPolicy }, record) {
      const pause = pauses.get(name);
      if (pause !== undefined && now() < pause.until) {
        record({ type: "Normal", reason: "BackOff", message: `Back-off pulling image "${reference}"` });
        record({ type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff" });
        const message = `Back-off pulling image "${reference}": ErrImagePull: ${pause.why}`;
        return { reason: "ImagePullBackOff", message, retryAt: pause.until };
      }
      const answer = await images.find(reference);
      if ("image" in answer) {
        pauses.delete(name);
        const message = `Container image "${reference}" already present on machine and can be accessed by the pod`;
        record({ type: "Normal", reason: "Pulled", message });
        return answer;
      }
      if (answer.reason === "InvalidImageName") {
        record({ type: "Warning", reason: "InspectFailed", message: answer.message });
        record({ type: "Warning", reason: "Failed", message: "Error: InvalidImageName" });
        return { ...answer, retryAt: now() + firstPauseMs };
      }
      if (imagePullPolicy === "Never") {
        const message = `Container image "${reference}" is not present with pull policy of Never`;
        record({ type: "Warning", reason: "ErrImageNeverPull", message });
        record({ type: "Warning", reason: "Failed", message: "Error: ErrImageNeverPull" });
        return { reason: "ErrImageNeverPull", message, retryAt: now() + firstPauseMs };
      }
      const ms = pause === undefined ? firstPauseMs : Math.min(pause.ms * 2, longestPauseMs);
      pauses.set(name, { ms, until: now() + ms, why: answer.message });
      record({ type: "Normal", reason: "Pulling", message: `Pulling image "${reference}"` });
      const message = `Failed to pull image "${reference}": ${answer.message}`;
      record({ type: "Warning", reason: "Failed", message });
      record({ type: "Warning", reason: "Failed", message: "Error: ErrImagePull" });
      return { ...answer, retryAt: now() + failureShownMs };
    },
  };
}
