import { volcanoPodGroupTemplateFile, volcanoPodGroupTemplateJson } from "../conf/entries/driver.ts";
import { failure, issuesOf, type Result, success } from "../errors/issue.ts";
import { apiVersionOf, resourceTypes } from "../kube/resources.ts";
import type { KubeResource } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { isAddedStep, stepNames } from "../plan/feature-steps.ts";
import { podGroupAnnotation } from "../plan/labels.ts";
import { withKubernetesScalars } from "../plan/template-scalars.ts";
import { type Fields, isFields } from "../values/fields.ts";
import type { FeatureStep } from "./step.ts";

/**
 * Puts the application into a PodGroup of Volcano, which schedules its pods together.
 *
 * Takes part where `spark.kubernetes.driver.pod.featureSteps` names it. Source: Spark VolcanoFeatureStep.
 */
export const volcano: FeatureStep<DriverConf> = {
  name: stepNames.volcano,
  check: (driver) => issuesOf(buildPodGroup(driver)),
  contribute: (driver) => {
    const group = buildPodGroup(driver);
    if (!group.ok || group.value === undefined) return {};
    return {
      annotations: { [podGroupAnnotation]: groupName(driver) },
      preResources: [group.value],
    };
  },
};

function groupName({ appId }: DriverConf): string {
  return `${appId}-podgroup`;
}

/** Fields of the template that we do not know are kept; `undefined` where the step does not take part. */
function buildPodGroup(driver: DriverConf): Result<KubeResource | undefined> {
  const { conf, facts, namespace } = driver;
  if (!isAddedStep(conf, stepNames.volcano)) return success(undefined);
  const { value: template, problems } = withKubernetesScalars(facts.podGroupTemplate);
  const reason = problems.length > 0 ? `${problems.join("; ")}.` : objection(template);
  if (reason !== undefined) return failure("SUBMIT_ERR_POD_GROUP_TEMPLATE", { key: keyOf(driver), reason });
  const fields = isFields(template) ? template : {};
  return success({
    ...fields,
    apiVersion: apiVersionOf(resourceTypes.podGroup),
    kind: resourceTypes.podGroup.kind,
    metadata: { ...fieldsOf(fields["metadata"]), name: groupName(driver), namespace },
    spec: fieldsOf(fields["spec"]),
  });
}

function keyOf({ conf }: DriverConf): string {
  const { key } = conf.has(volcanoPodGroupTemplateFile)
    ? volcanoPodGroupTemplateFile
    : volcanoPodGroupTemplateJson;
  return key;
}

/** Why it is none; absent is well, as a PodGroup may have an empty spec. */
function objection(template: unknown): string | undefined {
  if (template === undefined) return undefined;
  if (!isFields(template)) return "it has no fields.";
  const { kind, metadata, spec } = template;
  const { kind: ours } = resourceTypes.podGroup;
  if (kind !== undefined && kind !== ours) return `it is of kind ${String(kind)}, not ${ours}.`;
  const broken = Object.entries({ metadata, spec }).find(([, value]) => !isAbsent(value) && !isFields(value));
  return broken === undefined ? undefined : `its ${broken[0]} has no fields.`;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
