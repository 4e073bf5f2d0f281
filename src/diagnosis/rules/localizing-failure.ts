import { isFields } from "../../values/fields.ts";
import { keys } from "../settings.ts";

/** Reason why the submission's files did not get into its pod, from Firesteel's init container. */
interface LocalizingFailure {
  readonly message: string;
  readonly nextStep: string;
  /** Key of the setting to change. */
  readonly key?: string;
}

/** Next steps by the code in the init container's termination message. */
const steps: Readonly<Record<string, Pick<LocalizingFailure, "nextStep" | "key">>> = {
  badConfig: {
    nextStep: `Take the image of the init container that belongs to this version: ${keys.initImage}.`,
    key: keys.initImage,
  },
  unauthorized: {
    nextStep: `Submit again; where that does not help, see whether pods ask another server than yours: ${keys.serverForPods}.`,
    key: keys.serverForPods,
  },
  notFound: { nextStep: "Submit again: the files are no longer kept for this driver." },
  integrity: {
    nextStep: "Submit again, and check the proxies between the pod and the server: one of them changes the content.",
  },
  noSpace: { nextStep: "Let the driver run on a node with more free disk, or name fewer files." },
  network: {
    nextStep: `See that pods reach the server at this address (${keys.serverForPods}, ${keys.bucketForPods}), and raise ${keys.initTimeout} where it is slow.`,
    key: keys.initTimeout,
  },
  stopped: { nextStep: "Submit again." },
};

/** Parses an init container's termination message. `undefined` if it is not Firesteel's. Shape: `{"code":"noSpace","message":"…"}`. */
export function localizingFailure(text: string): LocalizingFailure | undefined {
  const reason = parse(text);
  if (!isFields(reason)) return undefined;
  const { code, message } = reason;
  if (typeof code !== "string" || typeof message !== "string" || !Object.hasOwn(steps, code)) return undefined;
  const step = steps[code];
  return step === undefined ? undefined : { message, ...step };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
