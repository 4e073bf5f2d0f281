import type { CustomResourceColumnDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { compilePath } from "../json-path.ts";
import { age, type Column, nameColumn } from "./column.ts";

const ageDefinition: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

/** Returns the table columns of a custom resource. A column whose path cannot be parsed ends them, as in Kubernetes. */
export function printerColumns(
  definitions: readonly CustomResourceColumnDefinition[] = [ageDefinition],
): readonly Column[] {
  const columns: Column[] = [nameColumn];
  for (const { name, type, format = "", priority = 0, description, jsonPath } of definitions) {
    const read = compilePath(jsonPath);
    if (read === undefined) break;
    columns.push({
      ...{ name, type, format, priority },
      description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      cell: (object, now) => cellOf(type, read(object)[0], now),
    });
  }
  return columns;
}

/** Prints the value of a cell; null if it does not have the column's type. */
function cellOf(type: string, value: unknown, now: number): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : age(value, now);
    default:
      return null;
  }
}
