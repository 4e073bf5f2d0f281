import type { CauseName } from "../../diagnosis/causes.ts";
import { isFields } from "../../values/fields.ts";
import type { FetchedReference } from "../fetch/fetch-facts.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import type { Reference } from "../references.ts";

/** Reports objects that the pods need and that do not exist, or lack keys. */
export function checkObjects(references: readonly FetchedReference[], namespace: string): readonly Finding[] {
  const problems = references.flatMap((found) => problemsOf(found, namespace));
  const isKnown = references.filter(({ object }) => object.kind !== "unknown");
  if (isKnown.length === 0) return problems;
  const names = isKnown.map(({ reference }) => titleOf(reference));
  const missing = problems.filter(({ status }) => status !== "skipped");
  return missing.length > 0
    ? problems
    : [...problems, ok("objects", `These exist: ${[...new Set(names)].join(", ")}.`)];
}

function problemsOf({ reference, object }: FetchedReference, namespace: string): readonly Finding[] {
  const { type, role, cause, isRequired, key } = reference;
  const title = titleOf(reference);
  const location = type.namespaced ? ` in the namespace ${namespace}` : "";
  if (object.kind === "unknown")
    return [skipped("objects", `Whether the ${title} exists was not checked: ${object.reason}`)];
  if (object.kind === "found")
    return [...missingKeys(reference, object.value), ...unboundClaim(reference, object.value)];
  if (!isRequired && cause !== "image-pull-secret-missing") return [];
  return [
    {
      ...{ check: "objects", status: isRequired ? "failure" : "warning", cause, key },
      reason: `The ${title} of the ${role} does not exist${location}.`,
      fix:
        type.kind === "ServiceAccount"
          ? `Run firesteel setup namespace ${namespace} --service-account ${reference.name}, or name another account.`
          : `Create it, or correct the name.`,
    },
  ];
}

function missingKeys(
  { type, name, role, dataKeys, key }: Reference,
  { data }: { readonly [field: string]: unknown },
): readonly Finding[] {
  const present = isFields(data) ? data : {};
  const missing = dataKeys.filter((dataKey) => !Object.hasOwn(present, dataKey));
  if (missing.length === 0) return [];
  const cause: CauseName = type.kind === "Secret" ? "secret-key-missing" : "config-map-key-missing";
  const reason = `The ${type.kind} ${name} of the ${role} has no key ${missing.join(", ")}.`;
  return [{ check: "objects", status: "failure", cause, reason, fix: "Add the key, or correct its name.", key }];
}

/** Reports a claim that waits for a volume although its class does not wait for a pod. */
function unboundClaim(
  { type, name, key }: Reference,
  object: { readonly [field: string]: unknown },
): readonly Finding[] {
  const { status, spec } = object;
  if (type.kind !== "PersistentVolumeClaim" || !isFields(status) || status["phase"] !== "Pending") return [];
  const storageClass = isFields(spec) ? spec["storageClassName"] : undefined;
  // A class with binding mode WaitForFirstConsumer keeps claims pending until a pod uses them.
  if (storageClass !== undefined && storageClass !== "") return [];
  const reason = `The PersistentVolumeClaim ${name} is not bound to a volume, and has no storage class that could create one.`;
  const fix = "Create a PersistentVolume that fits, or set storageClassName of the claim.";
  return [{ check: "objects", status: "failure", cause: "pvc-unbound", reason, fix, key }];
}

function titleOf({ type, name }: Reference): string {
  return `${type.kind} ${name}`;
}
