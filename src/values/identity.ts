import { failure, type Result, success } from "../errors/issue.ts";
import { digits, isMadeOf } from "./characters.ts";

declare const brand: unique symbol;

/** ID of an application: `spark-` and 32 hexadecimal digits. */
export type AppId = string & { readonly [brand]: "AppId" };

/** Whether an ID has the format of submissions to Kubernetes. */
export function isAppId(text: string): text is AppId {
  return text.startsWith("spark-") && text.length === 38 && isMadeOf(text.slice(6), `${digits}abcdef`);
}

/** Builds an application ID from a UUID. Source: Spark KubernetesConf.getKubernetesAppId. */
export function toAppId(uuid: string): AppId {
  const id = `spark-${uuid.replaceAll("-", "")}`;
  if (!isAppId(id)) throw new TypeError("An application ID requires a UUID.");
  return id;
}

/** ID for `--kill` and `--status`: a driver's pod, or several by a prefix of their names. */
export interface SubmissionId {
  /** `undefined` for the namespace of the kubeconfig. */
  readonly namespace: string | undefined;
  /** Name of the pod; with `isPrefix`, a prefix of the names. */
  readonly name: string;
  /** Whether the text ends with `*`. */
  readonly isPrefix: boolean;
}

/**
 * Parses `namespace:name` or `name`, split at the first colon. A `*` at the end matches any text.
 *
 * Errors: SUBMIT_ERR_SUBMISSION_ID_NAME, SUBMIT_ERR_SUBMISSION_ID_NAMESPACE. Source: Spark K8SSparkSubmitOperation.
 */
export function parseSubmissionId(text: string): Result<SubmissionId> {
  const colon = text.indexOf(":");
  const namespace = colon < 0 ? undefined : text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (name === "") return failure("SUBMIT_ERR_SUBMISSION_ID_NAME", { id: text });
  if (namespace === "") return failure("SUBMIT_ERR_SUBMISSION_ID_NAMESPACE", { id: text });
  const isPrefix = name.endsWith("*");
  return success({ namespace, name: isPrefix ? name.slice(0, -1) : name, isPrefix });
}
