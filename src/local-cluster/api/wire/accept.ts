import { ownMember } from "../../../values/own-member.ts";
import { notAcceptable, viewNotAcceptable } from "../status.ts";

/** The format of a response. */
export interface Representation {
  readonly media: "json" | "yaml" | "protobuf";
  /** The view of the objects. */
  readonly view: "object" | "table" | "metadata" | "metadataList" | "discovery";
  /** `v1`, or `v2` for discovery. */
  readonly version: string;
}

const medias: Readonly<Record<string, Representation["media"]>> = {
  "*/*": "json",
  "application/json": "json",
  "application/yaml": "yaml",
  "application/vnd.kubernetes.protobuf": "protobuf",
};

/** Media types of discovery, among which are those of OpenAPI documents. */
const discoveryMedias: typeof medias = {
  ...medias,
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf": "protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf": "protobuf",
};

const views: Readonly<Record<string, { view: Representation["view"]; group: string; versions: readonly string[] }>> = {
  Table: { view: "table", group: "meta.k8s.io", versions: ["v1", "v1beta1"] },
  PartialObjectMetadata: { view: "metadata", group: "meta.k8s.io", versions: ["v1", "v1beta1"] },
  PartialObjectMetadataList: { view: "metadataList", group: "meta.k8s.io", versions: ["v1", "v1beta1"] },
  APIGroupDiscoveryList: { view: "discovery", group: "apidiscovery.k8s.io", versions: ["v2"] },
};

/** Views that a response can have. */
interface ViewOptions {
  /** @default false */
  readonly isDiscovery?: boolean;
  /** Whether the objects can be shown as a table. @default true */
  readonly hasTable?: boolean;
}

/**
 * Chooses the first supported representation of an Accept header; discovery views apply to discovery only.
 *
 * @throws StatusError 406
 */
export function negotiate(
  accept: string | undefined,
  { isDiscovery = false, hasTable = true }: ViewOptions = {},
): Representation {
  const clauses = (accept ?? "").split(",").filter((clause) => clause.trim() !== "");
  if (clauses.length === 0) return { media: "json", view: "object", version: "v1" };
  let hasMedia = false;
  let last: Representation | undefined;
  for (const clause of clauses) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const media = ownMember(isDiscovery ? discoveryMedias : medias, type.toLowerCase());
    if (media === undefined) continue;
    hasMedia = true;
    const { as, g, v } = Object.fromEntries(parameters.map((parameter) => parameter.split("=")));
    if (as === undefined && media !== "protobuf") return { media, view: "object", version: "v1" };
    // Prefer JSON over protobuf if the client accepts both.
    if (as === undefined) last = { media, view: "object", version: "v1" };
    if (as === undefined || media === "protobuf") continue;
    const known = ownMember(views, as);
    if (known === undefined || known.group !== g || !known.versions.includes(v)) continue;
    if (known.view === "table" && !hasTable) continue;
    if ((known.view === "discovery") === isDiscovery) return { media, view: known.view, version: v };
  }
  if (last !== undefined) return last;
  throw hasMedia ? viewNotAcceptable() : notAcceptable();
}
