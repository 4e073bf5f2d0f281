import type { Role } from "../../conf/entry.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { memoryLimitOf } from "./memory-limit.ts";
import { containerNames } from "./role-template.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

/** Lists problems of the pods that the API would report only when it creates them. Errors: SUBMIT_ERR_MANIFEST_RULE. */
export function podIssues(input: TranslationInput): readonly Issue[] {
  return (["driver", "executor"] as const).flatMap((role) => [
    ...limitIssues(input, role),
    ...templateIssues(input, role),
    ...containerIssues(input, role),
  ]);
}

function limitIssues(input: TranslationInput, role: Role): readonly Issue[] {
  const { memoryLimit = "" } = roleFields(input, role);
  if (memoryLimit === "" || memoryLimitOf(memoryLimit) !== undefined) return [];
  const problem = `is "${memoryLimit}", which is neither a size of Spark nor a quantity`;
  const advice = "Use a size such as 2g or 2Gi.";
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: input.file, path: `spec.${role}.memoryLimit`, problem, advice })];
}

const lists = ["containers", "initContainers", "volumes", "tolerations", "hostAliases"];

function templateIssues(input: TranslationInput, role: Role): readonly Issue[] {
  const { template } = roleFields(input, role);
  if (template === undefined) return [];
  const path = `spec.${role}.template`;
  const advice = "Write a pod template: an object with metadata and spec.";
  const wrong = (at: string, problem: string) => [
    issue("SUBMIT_ERR_MANIFEST_RULE", { file: input.file, path: at, problem, advice }),
  ];
  if (!isFields(template)) return wrong(path, "is not an object");
  const { spec = {} } = template;
  if (!isFields(spec)) return wrong(`${path}.spec`, "is not an object");
  return lists.flatMap((name) =>
    isObjectList(spec[name]) ? [] : wrong(`${path}.spec.${name}`, "is not a list of objects"),
  );
}

function isObjectList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isFields));
}

/** Two containers of a pod cannot have the same name. The operator leaves out those that have the same image, too. */
function containerIssues(input: TranslationInput, role: Role): readonly Issue[] {
  const { initContainers = [], sidecars = [], template } = roleFields(input, role);
  const own = containerNames[role];
  const ofTemplate = containersOf(template);
  const present = [...(ofTemplate.length === 0 ? [{ name: own, image: undefined }] : ofTemplate)];
  const added = [
    ...initContainers.map((container, index) => ({ container, path: `spec.${role}.initContainers[${index}]` })),
    ...sidecars.map((container, index) => ({ container, path: `spec.${role}.sidecars[${index}]` })),
  ];
  return added.flatMap(({ container, path }) => {
    const { name, image } = container;
    const same = present.find((candidate) => candidate.name === name);
    present.push({ name, image });
    if (same === undefined || same.image === image) return [];
    const problem = `has the name ${name}, which another container of the pod has`;
    const advice = "Give the container a name of its own.";
    return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: input.file, path, problem, advice })];
  });
}

function containersOf(template: unknown): readonly { readonly name: string; readonly image: string | undefined }[] {
  const spec = isFields(template) ? template["spec"] : undefined;
  const fields: Fields = isFields(spec) ? spec : {};
  return ["containers", "initContainers"].flatMap((list) => {
    const containers = fields[list];
    return (Array.isArray(containers) ? containers : []).flatMap((container: unknown) =>
      isFields(container) && typeof container["name"] === "string"
        ? [{ name: container["name"], image: typeof container["image"] === "string" ? container["image"] : undefined }]
        : [],
    );
  });
}
