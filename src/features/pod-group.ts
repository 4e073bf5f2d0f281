import { volcanoPodGroupTemplateFile, volcanoPodGroupTemplateJson } from "../conf/entries/driver.ts";
import { failure, type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import { apiVersionOf, resourceTypes } from "../kube/resources.ts";
import type { KubeResource } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { podGroupAnnotation } from "../plan/labels.ts";
import { withKubernetesScalars } from "../plan/template-scalars.ts";
import { type Fields, isFields } from "../values/fields.ts";
import type { Contribution } from "./step.ts";

/** Reports why the template is not a valid PodGroup. */
export function podGroupIssues(driver: DriverConf): readonly Issue[] {
  return issuesOf(buildPodGroup(driver));
}

/** Adds the PodGroup, and the pod's annotation with its name. */
export function contributePodGroup(driver: DriverConf): Contribution {
  const group = buildPodGroup(driver);
  if (!group.ok) return {};
  return { annotations: { [podGroupAnnotation]: groupName(driver) }, preResources: [group.value] };
}

function groupName({ appId }: DriverConf): string {
  return `${appId}-podgroup`;
}

/** Builds the PodGroup from its template. Unknown fields are kept. */
function buildPodGroup(driver: DriverConf): Result<KubeResource> {
  const { facts, namespace } = driver;
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
  const { key } = conf.has(volcanoPodGroupTemplateFile) ? volcanoPodGroupTemplateFile : volcanoPodGroupTemplateJson;
  return key;
}

/** Explains why a template is not a PodGroup. A missing template is valid. */
function objection(template: unknown): string | undefined {
  if (template === undefined) return undefined;
  if (!isFields(template)) return "it has no fields.";
  const { kind } = template;
  const { kind: expected } = resourceTypes.podGroup;
  return kind === undefined || kind === expected ? undefined : `it is of kind ${String(kind)}, not ${expected}.`;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
