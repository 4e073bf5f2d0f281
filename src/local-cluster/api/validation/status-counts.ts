import { parseQuantity } from "../../../values/quantity.ts";
import { type FieldError, invalidValue } from "./field-error.ts";
import { negativeFault } from "./numbers.ts";

/** A status; its numbers were decoded as such. */
type Status = object;

function countIn(status: Status, name: string): number {
  const value: unknown = Object.getOwnPropertyDescriptor(status, name)?.value;
  return typeof value === "number" ? value : 0;
}

/** Returns the errors of numbers in a status that must not be negative. */
export function negativeCounts(status: Status, names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const value = countIn(status, name);
    const fault = negativeFault(value);
    return fault === undefined ? [] : [invalidValue(`status.${name}`, value, fault)];
  });
}

/** Numbers of replicas in the status of a workload. */
interface ReplicaCounts {
  /** Parts of `replicas`, such as `readyReplicas`. */
  readonly parts: readonly string[];
  /** Kubernetes' name of `readyReplicas` in messages, which differs between kinds. */
  readonly readyName: string;
}

/** Returns the errors of parts that exceed the whole. Source: Kubernetes 1.35, ValidateDeploymentStatus and its neighbors. */
export function excessiveCounts(status: Status, { parts, readyName }: ReplicaCounts): FieldError[] {
  const available = countIn(status, "availableReplicas");
  const replicas = countIn(status, "replicas");
  return [
    ...parts
      .filter((name) => countIn(status, name) > replicas)
      .map((name) => invalidValue(`status.${name}`, countIn(status, name), "cannot be greater than status.replicas")),
    ...(available > countIn(status, "readyReplicas")
      ? [invalidValue("status.availableReplicas", available, `cannot be greater than ${readyName}`)]
      : []),
  ];
}

/** Returns the errors of negative quantities. `fieldOf` returns the path of a resource. */
export function negativeAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  fieldOf: (resource: string) => string,
): FieldError[] {
  return Object.entries(amounts ?? {})
    .filter(([, amount]) => (parseQuantity(amount)?.nano ?? 0n) < 0n)
    .map(([resource, amount]) => invalidValue(fieldOf(resource), amount, "must be greater than or equal to 0"));
}
