import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import { admissionIssues } from "./admission.ts";
import type { SparkApplication } from "./application.ts";
import { withDefaults } from "./defaults.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { checkReservedKeys, type ReservedKeys } from "./reserved-keys.ts";
import { type DriverForm, translateApplication } from "./translate/translate.ts";
import type { Translation, TranslationInput } from "./translate/translation.ts";

/** Options of a check. */
export interface CheckOptions {
  readonly options: OperatorOptions;
  readonly reservedKeys: ReservedKeys;
  /** Namespace of an application without one. @default `default` */
  readonly namespace?: string | undefined;
  /** @default step */
  readonly driver?: DriverForm | undefined;
  /** Returns the MD5 sum of a text in hexadecimal digits. */
  readonly md5: TranslationInput["md5"];
}

/** An application with its equivalent submission. */
export interface CheckedApplication {
  readonly input: TranslationInput;
  readonly translation: Translation;
  /** Sentences about keys that the operator would reject. */
  readonly tolerated: readonly string[];
  /** Sentences about fields that have no effect, or another one than with the operator. */
  readonly warnings: readonly string[];
}

/**
 * Checks an application as the operator's webhook does, adds defaults, and translates it.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem.
 */
export function checkApplication(
  file: string,
  application: SparkApplication,
  { options, reservedKeys, md5, namespace: defaultNamespace = "default", driver = "step" }: CheckOptions,
): Result<CheckedApplication> {
  const { metadata, spec } = withDefaults(application);
  const namespace = metadata.namespace || defaultNamespace;
  const { issues, tolerated } = checkReservedKeys(spec, { file, namespace, reservedKeys });
  const input: TranslationInput = {
    ...{ file, name: metadata.name, namespace, options, md5 },
    labels: metadata.labels ?? {},
    spec,
    specified: application.spec,
  };
  const translation = translateApplication(input, { driver });
  const all = [
    ...admissionIssues(application, { file }),
    ...issues,
    ...clientModeIssues(input, translation),
    ...translation.issues,
  ];
  const warnings = [...tolerated, ...translation.warnings.map((text) => `${file}: ${text}`)];
  return unlessIssues(all, { input, translation, tolerated, warnings });
}

/** Objects that the driver's pod would own cannot exist in client mode, which has no such pod. */
function clientModeIssues({ file, spec }: TranslationInput, { objects }: Translation): readonly Issue[] {
  if (spec.mode !== "client") return [];
  return objects("").map(({ kind, metadata }) => {
    const problem = `is client, but the driver must be a pod that owns the ${kind} ${metadata.name}`;
    const advice = `Use cluster, or remove ${fieldOfObject[kind] ?? "spec.batchScheduler"}.`;
    return issue("SUBMIT_ERR_MANIFEST_RULE", { file, path: "spec.mode", problem, advice });
  });
}

/** Fields that require an object beside the driver, by its kind. */
const fieldOfObject: Readonly<Record<string, string>> = { ConfigMap: "spec.monitoring.prometheus" };
