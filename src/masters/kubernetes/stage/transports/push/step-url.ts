import { isSubmitError, messageOf, submitError } from "../../../../../errors/submit-error.ts";
import { resourceTypeOf } from "../../../../../kube/resources.ts";
import { statusOf } from "../../../../../kube/status.ts";
import type { KubeResource } from "../../../../../kube/types.ts";
import { nameOf } from "../../../../../spec/user-steps/check-contribution.ts";
import { type NamedStep, type ObjectReference, toStepConf } from "../../../../../spec/user-steps/user-step.ts";
import { printPlainUrl } from "../../../../../staging-client/server-url.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { pushUrlSteps } from "./push-url-step.ts";
import type { UrlSource } from "./service-urls.ts";

/**
 * URL that a feature step of the user returns.
 *
 * Rejects with SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT; with the SUBMIT_ERR_KUBE_… of an object that it cannot read.
 */
export const stepUrl: UrlSource = {
  async find(call) {
    const [step] = pushUrlSteps(call.userSteps);
    return step === undefined ? undefined : urlOf(call, step);
  },
  missing: ({ userSteps }) => `pushUrl of the feature step ${pushUrlSteps(userSteps)[0]?.name} returned no URL`,
};

async function urlOf(call: TransferCall, { name, step }: NamedStep): Promise<readonly string[] | undefined> {
  const at = { step: name, method: "pushUrl" };
  let url: unknown;
  try {
    url = await step.pushUrl?.(toStepConf(call.driver), (object) => readObject(call, object));
  } catch (error) {
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_FEATURE_STEP_THROWN", { ...at, reason: messageOf(error) }, { cause: error });
  }
  if (url === undefined) return undefined;
  if (typeof url === "string" && isServerUrl(url)) return [url];
  const shown = typeof url === "string" ? printPlainUrl(url) : nameOf(url);
  const reason = `it is ${shown}, not an http or https URL without a user and a query`;
  throw submitError("SUBMIT_ERR_FEATURE_STEP_RESULT", { ...at, reason });
}

function isServerUrl(url: string): boolean {
  return /^https?:\/\/[^/\s@?#]+(\/[^\s?#]*)?$/.test(url) && URL.canParse(url);
}

async function readObject(
  { client, driver, signal }: TransferCall,
  { namespace = driver.namespace, name, ...reference }: ObjectReference,
): Promise<KubeResource | undefined> {
  try {
    return await client.get<KubeResource>({
      ...{ type: resourceTypeOf(reference), namespace, name },
      ...(signal && { signal }),
    });
  } catch (error) {
    if (statusOf(error)?.code === 404) return undefined;
    throw error;
  }
}
