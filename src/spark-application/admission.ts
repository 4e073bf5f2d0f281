import { fieldKeys, reservedKeys } from "../conf/entries/spark-application.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isDnsLabel } from "../values/dns-name.ts";
import type { ApplicationSpec, SparkApplication } from "./application.ts";

/** Context of the rules. */
export interface AdmissionContext {
  /** Path of the file, for messages. */
  readonly file: string;
}

/**
 * Checks the rules of the operator's validating webhook, except those about keys of `sparkConf`.
 *
 * Errors: SUBMIT_ERR_MANIFEST_RULE. Source: Kubeflow Spark operator 2.5.2.
 */
export function admissionIssues({ metadata, spec }: SparkApplication, { file }: AdmissionContext): readonly Issue[] {
  return [
    ...nameIssues(metadata.name, { file }),
    ...templateIssues(spec, { file }),
    ...nodeSelectorIssues(spec, { file }),
    ...ingressIssues(spec, { file }),
  ];
}

/** Checks the name of an application or schedule. Errors: SUBMIT_ERR_MANIFEST_RULE. */
export function nameIssues(
  name: string,
  { file, path = "metadata.name" }: AdmissionContext & { readonly path?: string },
): readonly Issue[] {
  if (isDnsLabel(name) && /^[a-z]/.test(name)) return [];
  const problem =
    name.length > 63
      ? `is "${name}", which has ${name.length} characters; at most 63 are allowed`
      : `is "${name}", which is not a DNS label`;
  const advice = "Use at most 63 lowercase letters, digits and hyphens, a letter first and no hyphen last.";
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path, problem, advice })];
}

/** Lists the keys of `sparkConf` that the operator rejects. Errors: SUBMIT_ERR_MANIFEST_RESERVED_KEY. */
export function reservedKeyIssues(
  spec: ApplicationSpec,
  { file, namespace }: AdmissionContext & { readonly namespace: string },
): readonly Issue[] {
  const { sparkConf = {} } = spec;
  const ofNamespace = sparkConf[fieldKeys.namespace];
  const keys = [
    ...reservedKeys.filter((key) => key in sparkConf),
    ...(ofNamespace === undefined || ofNamespace === namespace ? [] : [fieldKeys.namespace]),
  ];
  return keys.map((key) =>
    issue("SUBMIT_ERR_MANIFEST_RESERVED_KEY", { file, key, instead: insteadOf.get(key) ?? "Remove it." }),
  );
}

const insteadOf: ReadonlyMap<string, string> = new Map([
  [fieldKeys.namespace, "Remove it, or use the same namespace as metadata.namespace."],
  [fieldKeys.image, "Use spec.image."],
  [fieldKeys.driver.image, "Use spec.driver.image."],
  [fieldKeys.executor.image, "Use spec.executor.image."],
  [fieldKeys.driver.serviceAccount, "Use spec.driver.serviceAccount."],
  [fieldKeys.executor.serviceAccount, "Use spec.executor.serviceAccount."],
  [fieldKeys.driverMaster, "Use spec.driver.kubernetesMaster."],
]);

function templateIssues(spec: ApplicationSpec, { file }: AdmissionContext): readonly Issue[] {
  const { sparkVersion, driver, executor } = spec;
  const [, major = "0"] = /^(\d+)(?:\.\d+(?:\.\d+)?)?(?:[-+][\w.+-]*)?$/.exec(sparkVersion) ?? [];
  if (Number(major) >= 3) return [];
  return (["driver", "executor"] as const)
    .filter((role) => (role === "driver" ? driver : executor).template !== undefined)
    .map((role) => {
      const problem = `needs Spark 3.0.0 or newer, but spec.sparkVersion is ${sparkVersion}`;
      const advice = "Correct spec.sparkVersion, or remove the template.";
      return issue("SUBMIT_ERR_MANIFEST_RULE", { file, path: `spec.${role}.template`, problem, advice });
    });
}

function nodeSelectorIssues({ nodeSelector, driver, executor }: ApplicationSpec, { file }: AdmissionContext) {
  if (nodeSelector === undefined) return [];
  const roles = [driver.nodeSelector && "driver", executor.nodeSelector && "executor"].filter((role) => role);
  return roles.map((role) => {
    const problem = `excludes spec.${role}.nodeSelector`;
    const advice = "Use nodeSelector either for the application or for its roles.";
    return issue("SUBMIT_ERR_MANIFEST_RULE", { file, path: "spec.nodeSelector", problem, advice });
  });
}

function ingressIssues({ driverIngressOptions = [] }: ApplicationSpec, { file }: AdmissionContext): readonly Issue[] {
  const formats = driverIngressOptions.map(({ ingressURLFormat = "" }) => ingressURLFormat);
  return formats.flatMap((format, index) => {
    const path = `spec.driverIngressOptions[${index}].ingressURLFormat`;
    const advice = "Give each entry a URL of its own.";
    if (format === "") return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path, problem: "is missing", advice })];
    const first = formats.indexOf(format);
    const problem = `is "${format}", as that of entry ${first}`;
    return first === index ? [] : [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path, problem, advice })];
  });
}
