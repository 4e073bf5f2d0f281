import type { KubeResource } from "../kube/types.ts";
import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import { type Field, fieldsOf } from "./fields.ts";
import { type LeafValue, leavesOf } from "./leaves.ts";
import { isSetByServer } from "./server-fields.ts";
import { type BuiltDriver, driverObjects } from "./submission-objects.ts";

/** Fields with placeholders for generated IDs, so that two submissions are comparable. */
export type ComparableFields = ReadonlyMap<string, Field>;

/** Returns the fields of a driver in a cluster and of the objects it owns, without those that only servers set. */
export function liveFields(driver: KubeResource, owned: readonly KubeResource[]): ComparableFields {
  const objects = [
    { part: "driver" as const, object: driver },
    ...owned.map((object) => ({ part: "resource" as const, object })),
  ];
  return new Map(
    objects.flatMap(({ part, object }) => {
      const { status: _, ...rest } = object;
      // As long as the rest of the object.
      const { managedFields: __, ...metadata } = object.metadata;
      const objectId = part === "driver" ? part : `${object.kind}/${nameOf(object)}`;
      return leavesOf({
        ...rest,
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata,
      })
        .filter(({ id, value }) => !isSetByServer(id, value))
        .map((leaf): [string, Field] =>
          comparable({ part, objectId, object: object.kind, kind: object.kind, ...leaf }),
        );
    }),
  );
}

/** Returns the comparable fields of a planned driver and its objects; a driver in a cluster does not show those of its executors. */
export function plannedFields({ driver, built }: BuiltDriver): ComparableFields {
  const fields = fieldsOf({ driver, executor: undefined, objects: driverObjects(built) });
  return new Map(
    [...fields]
      .map(([id, field]) => ({ ...field, id: id.slice(field.objectId.length + 1) }))
      .filter(({ id, value }) => !isSetByServer(id, value))
      .map(comparable),
  );
}

function comparable(field: Field & { readonly id: string }): [string, Field] {
  const { id, ...rest } = field;
  const object = rest.objectId === "driver" ? "driver" : rest.objectId;
  return [
    `${rest.objectId} ${withoutIds(id)}`,
    { ...rest, object, path: withoutIds(rest.path), value: comparableValue(id, rest.value) },
  ];
}

function nameOf({ metadata }: KubeResource): string {
  const [, last = metadata.name] = /<id>-(.*)$/.exec(withoutIds(metadata.name ?? "")) ?? [];
  return last ?? "";
}

/** Replaces generated IDs, recognized by their form, by placeholders. */
function withoutIds(text: string): string {
  if (!/[0-9a-f]{8}/.test(text)) return text;
  return text
    .replace(/spark-[0-9a-f]{32}/g, "<application id>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/(?<![0-9a-z])[0-9a-fx][0-9a-f]{15}(?![0-9a-z])/g, "<id>");
}

/** Normalizes quantities as servers do: `1000m` becomes `1`. */
function comparableValue(id: string, value: LeafValue): LeafValue {
  if (typeof value !== "string") return value;
  if (!/\.resources\.(limits|requests)\b/.test(id)) return withoutIds(value);
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value;
  const integer = parseQuantity(String(Number(quantity.nano / 1_000_000_000n)));
  return integer !== undefined && compareQuantities(quantity, integer) === 0 && quantity.format === "decimalSI"
    ? String(Number(quantity.nano / 1_000_000_000n))
    : value;
}
