import { failure, type Result, success } from "../errors/issue.ts";
import { digits, isMadeOf } from "./characters.ts";

declare const brand: unique symbol;

/** The id of an application: `spark-` and 32 hexadecimal digits. */
export type AppId = string & { readonly [brand]: "AppId" };

/** True for an id in the form that submissions to Kubernetes make. */
export function isAppId(text: string): text is AppId {
  return text.startsWith("spark-") && text.length === 38 && isMadeOf(text.slice(6), `${digits}abcdef`);
}

/** Makes an application's id of a UUID. Source: Spark KubernetesConf.getKubernetesAppId. */
export function toAppId(uuid: string): AppId {
  const id = `spark-${uuid.replaceAll("-", "")}`;
  if (!isAppId(id)) throw new TypeError("An application's id is made of a UUID.");
  return id;
}

/** What `--kill` and `--status` are given: a driver's pod, or several by the beginning of their names. */
export interface SubmissionId {
  /** `undefined`: the namespace of the kubeconfig. */
  readonly namespace: string | undefined;
  /** The pod's name; with `isPrefix`, what the names begin with. */
  readonly name: string;
  /** The text ends with `*`. */
  readonly isPrefix: boolean;
}

/**
 * Reads `namespace:name` or `name`, split at the first colon; one `*` at the end stands for any ending.
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
