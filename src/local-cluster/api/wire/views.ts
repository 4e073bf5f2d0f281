import { goQuoted } from "../../../values/go-quoted.ts";
import type { JsonObject } from "../json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import { type Draft, isDraft } from "../object.ts";
import { badRequest, type StatusError, shapeNotAcceptable } from "../status.ts";
import { columnsFor } from "../tables/columns.ts";
import { printerColumns } from "../tables/custom-columns.ts";
import type { Representation } from "./accept.ts";

/** Converts objects to the view that a client requests. */
export interface Viewer {
  readonly one: (object: JsonObject) => JsonObject;
  /** Converts an object of a watch: only the first table has column definitions. */
  readonly next: (object: JsonObject) => JsonObject;
  readonly list: (items: readonly JsonObject[], metadata: JsonObject) => JsonObject;
}

interface ViewOptions {
  readonly kind: Kind;
  readonly representation: Representation;
  readonly query: URLSearchParams;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** Creates a viewer. @throws StatusError 400 for an invalid `includeObject` */
export function viewer(options: ViewOptions): Viewer {
  const { conversion } = options.kind;
  const shown = viewerOf(options);
  if (conversion === undefined || options.representation.view === "table") return shown;
  return {
    one: (object) => shown.one(conversion.fromStored(object)),
    next: (object) => shown.next(conversion.fromStored(object)),
    list: (items, metadata) => shown.list(items.map(conversion.fromStored), metadata),
  };
}

function viewerOf(options: ViewOptions): Viewer {
  const { kind, representation } = options;
  switch (representation.view) {
    case "table":
      return tableViewer(options);
    case "metadata":
    case "metadataList":
      return {
        one(object) {
          if (representation.view === "metadataList") throw notOneButList(kind);
          return onlyMetadata(object, representation.version);
        },
        next: (object) => onlyMetadata(object, representation.version),
        list(items, metadata) {
          if (representation.view === "metadata") throw notListButOne(kind);
          return {
            kind: "PartialObjectMetadataList",
            apiVersion: `meta.k8s.io/${representation.version}`,
            metadata,
            items: items.map((item) => onlyMetadata(item, representation.version)),
          };
        },
      };
    default:
      return {
        one: (object) => object,
        next: (object) => object,
        list: (items, metadata) => ({
          kind: kind.custom?.listKind ?? `${kind.kind}List`,
          apiVersion: apiVersionOf(kind),
          metadata,
          items: items.map(({ kind: _, apiVersion: __, ...item }) => item),
        }),
      };
  }
}

/** Builds the error for requesting a list view of one object. */
function notOneButList({ group, kind }: Kind): StatusError {
  const shown = `*${group.split(".")[0] || "core"}.${kind}`;
  return shapeNotAcceptable(
    `you requested PartialObjectMetadataList, but the requested object is not a list (${shown})`,
  );
}

function notListButOne({ group, kind }: Kind): StatusError {
  const shown = `*${group.split(".")[0] || "core"}.${kind}List`;
  return shapeNotAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${shown})`);
}

function onlyMetadata(object: JsonObject, version: string): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object["metadata"],
  };
}

const inclusions = ["", "Metadata", "Object", "None"];

function tableViewer({ kind, representation, query, now }: ViewOptions): Viewer {
  const include = query.get("includeObject") ?? "";
  if (!inclusions.includes(include)) {
    const text = "must be 'Metadata', 'Object', 'None', or empty";
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuoted(include)}: ${text}`,
    );
  }
  const apiVersion = `meta.k8s.io/${representation.version}`;
  const columns = kind.custom === undefined ? columnsFor(kind.collection) : printerColumns(kind.custom.columns);
  const definitions = columns.map(({ name, type, format, description = "", priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const shown = (object: JsonObject) => {
    if (include === "None") return null;
    return include === "Object" ? object : onlyMetadata(object, representation.version);
  };
  const rowOf = (object: JsonObject) => ({
    cells: columns.map((column) => (isObjectOfKind(object) ? column.cell(object, now()) : null)),
    object: shown(object),
  });
  const table = (items: readonly JsonObject[], metadata: JsonObject, columnDefinitions: unknown) => ({
    kind: "Table",
    apiVersion,
    metadata,
    columnDefinitions,
    rows: items.map(rowOf),
  });
  let hasColumns = false;
  return {
    one: (object) => table([object], listMetadata(object), definitions),
    next(object) {
      const columnDefinitions = hasColumns ? null : definitions;
      hasColumns = true;
      return table([object], listMetadata(object), columnDefinitions);
    },
    list: (items, metadata) => table(items, metadata, definitions),
  };
}

function isObjectOfKind(object: JsonObject): object is Draft {
  return isDraft(object);
}

function listMetadata(object: JsonObject): JsonObject {
  return isDraft(object) ? { resourceVersion: object.metadata.resourceVersion } : {};
}
