import { createHash } from "node:crypto";
import { type Issue, issue } from "../errors/issue.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { admissionIssues } from "../spark-application/admission.ts";
import type { SparkApplication } from "../spark-application/application.ts";
import { withDefaults } from "../spark-application/defaults.ts";
import { type OperatorOptions, readOperatorOptions } from "../spark-application/operator-options.ts";
import { translateApplication } from "../spark-application/translate/translate.ts";
import type { Translation, TranslationInput } from "../spark-application/translate/translation.ts";
import { readManifest } from "./read-manifest.ts";
import { checkReservedKeys, type ReservedKeys } from "./reserved-keys.ts";

/** Options of reading an application. */
export interface LoadOptions {
  readonly options: OperatorOptions;
  readonly reservedKeys: ReservedKeys;
  /** Namespace of an application without one. @default `default` */
  readonly namespace?: string | undefined;
}

/** An application with its equivalent submission. */
export interface LoadedApplication {
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
 * @throws SUBMIT_ERR_MANIFEST_…: all problems together
 */
export function loadApplication(
  file: string,
  application: SparkApplication,
  { options, reservedKeys, namespace: defaultNamespace = "default" }: LoadOptions,
): LoadedApplication {
  const { metadata, spec } = withDefaults(application);
  const namespace = metadata.namespace || defaultNamespace;
  const { issues, tolerated } = checkReservedKeys(spec, { file, namespace, reservedKeys });
  const input: TranslationInput = {
    ...{ file, name: metadata.name, namespace, options, md5 },
    labels: metadata.labels ?? {},
    spec,
    specified: application.spec,
  };
  const translation = translateApplication(input);
  throwIssues([
    ...admissionIssues(application, { file }),
    ...issues,
    ...clientModeIssues(input, translation),
    ...translation.issues,
  ]);
  return {
    input,
    translation,
    tolerated,
    warnings: [...tolerated, ...translation.warnings.map((text) => `${file}: ${text}`)],
  };
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

/** Reads the options of an operator. @throws SUBMIT_ERR_MANIFEST_… */
export async function loadOperatorOptions(host: Host, file: string | undefined): Promise<OperatorOptions> {
  if (file === undefined) return {};
  const [options = {}] = await readManifest(host, file);
  return orThrow(readOperatorOptions(file, options));
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
