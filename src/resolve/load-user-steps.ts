import { basename } from "node:path";
import { firesteelFeatureSteps } from "../conf/entries/firesteel.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { NamedStep, UserStep } from "../spec/user-steps/user-step.ts";
import { isFields } from "../values/fields.ts";

/**
 * Loads the JavaScript modules of `spark.firesteel.featureSteps`, ESM or CommonJS. The steps of a calling program follow them.
 *
 * Errors, reported together: SUBMIT_ERR_FEATURE_STEP_MODULE, SUBMIT_ERR_FEATURE_STEP_SHAPE.
 */
export async function loadUserSteps(
  host: Host,
  conf: SparkConf,
  extraSteps: readonly UserStep[] = [],
): Promise<Result<readonly NamedStep[]>> {
  const modules = conf.read(firesteelFeatureSteps);
  if (!modules.ok) return modules;
  const loaded: Result<NamedStep>[] = [];
  // Sequentially, so that the output of the modules is in order.
  for (const specifier of modules.value) loaded.push(await loadStep(host, specifier));
  const steps = loaded.flatMap((step) => (step.ok ? [step.value] : []));
  const added = extraSteps.map((step, index) => ({ name: step.name ?? `extraSteps[${index}]`, step }));
  return unlessIssues(loaded.flatMap(issuesOf), [...steps, ...added]);
}

async function loadStep(host: Host, module: string): Promise<Result<NamedStep>> {
  const { key } = firesteelFeatureSteps;
  try {
    return toStep(await host.importModule(module), module);
  } catch (error) {
    // Node appends the chain of requiring modules and an excerpt of the file.
    const [reason = ""] = messageOf(error).split("\n");
    return failure("SUBMIT_ERR_FEATURE_STEP_MODULE", { key, module, reason });
  }
}

/** Finds the step in the default export, else in the export `step`. For CommonJS, the default export is `module.exports`. */
function toStep(exports: unknown, module: string): Result<NamedStep> {
  const defaultExport = fieldOf(exports, "default");
  const candidates = [
    ...[defaultExport, fieldOf(exports, "step")],
    ...[fieldOf(defaultExport, "default"), fieldOf(defaultExport, "step")],
  ];
  const found = candidates.find(isStep);
  if (found === undefined) return failure("SUBMIT_ERR_FEATURE_STEP_SHAPE", { module });
  const fileName = basename(module).replace(/\.[cm]?[jt]s$/, "");
  if (typeof found === "function") return success({ name: fileName, step: { contribute: found } });
  return success({ name: found.name || fileName, step: found });
}

type Contribute = NonNullable<UserStep["contribute"]>;

function isStep(value: unknown): value is UserStep | Contribute {
  if (typeof value === "function") return true;
  const { name, contribute, transform, pushUrl } = isFields(value) ? value : {};
  const methods = [contribute, transform, pushUrl].filter((method) => method !== undefined);
  return (
    methods.length > 0 &&
    methods.every((method) => typeof method === "function") &&
    (name === undefined || typeof name === "string")
  );
}

function fieldOf(value: unknown, field: string): unknown {
  return isFields(value) ? value[field] : undefined;
}
