import type { CSINodeDriver, CSINodeSpec } from "kubernetes-types/storage/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { duplicate, type FieldError, invalidValue, required } from "../validation/field-error.ts";
import { qualifiedName, subdomain } from "../validation/names.ts";
import { negativeFault } from "../validation/numbers.ts";
import type { Rules } from "./rules.ts";

type CsiNodeObject = Draft & { spec: CSINodeSpec };

/** The rules of CSINodes. Source: Kubernetes 1.35, ValidateCSINode. */
export const csiNodeRules: Rules<CsiNodeObject> = {
  validate: ({ spec }) => driversErrors(spec.drivers ?? []),
  validateUpdate: ({ spec }, old) => [
    ...driversErrors(spec.drivers ?? []),
    ...(spec.drivers ?? []).flatMap((driver) => {
      const before = (old.spec.drivers ?? []).find(({ name }) => name === driver.name);
      const isKept = before === undefined || isSame({ ...driver, allocatable: 0 }, { ...before, allocatable: 0 });
      return isKept ? [] : [invalidValue("spec.drivers", driver, "field is immutable")];
    }),
  ],
};

function driversErrors(drivers: readonly CSINodeDriver[]): FieldError[] {
  return drivers.flatMap((driver, index) => [
    ...driverErrors(driver, `spec.drivers[${index}]`),
    ...(drivers.findIndex(({ name }) => name === driver.name) < index
      ? [duplicate(`spec.drivers[${index}].name`, driver.name)]
      : []),
  ]);
}

const maxNodeIdLength = 256;

function driverErrors(
  { name = "", nodeID = "", topologyKeys, allocatable }: CSINodeDriver,
  field: string,
): FieldError[] {
  const keys = topologyKeys ?? [];
  const count = allocatable?.count;
  const fault = count === undefined ? undefined : negativeFault(count);
  return [
    ...(name === ""
      ? [required(`${field}.name`)]
      : subdomain(name).map((text) => invalidValue(`${field}.name`, name, text))),
    ...(nodeID === "" ? [required(`${field}.nodeID`)] : []),
    ...(nodeID.length > maxNodeIdLength
      ? [invalidValue(`${field}.nodeID`, nodeID, `must be ${maxNodeIdLength} characters or less`)]
      : []),
    ...(fault === undefined ? [] : [invalidValue(`${field}.allocatable.count`, count, fault)]),
    ...keys.flatMap((key, index) => [
      ...(key === "" ? [required(field)] : []),
      ...(keys.indexOf(key) < index ? [duplicate(field, key)] : []),
      ...qualifiedName(key).map((text) => invalidValue(field, key, text)),
    ]),
  ];
}
