import type { Host } from "../../host/host.ts";
import type { ClusterOptions } from "../cluster-options.ts";
import type { ImageAnswer, Images } from "./image.ts";
import { type ImageReference, parseImageReference } from "./image-reference.ts";
import { findPython } from "./python.ts";
import { type ComposedImage, plainImage, sparkImage } from "./spark-image.ts";

/** What images of this machine are made of. */
export interface LocalImagesOptions extends Pick<ClusterOptions, "sparks" | "javaHome"> {
  readonly host: Host;
  /** Folder for generated files, private to us. */
  readonly directory: string;
}

/** Repositories that stand for this machine's own programs. */
const plainRepositories = ["busybox", "alpine", "bash", "debian", "ubuntu"].map(
  (name) => `docker.io/library/${name}`,
);

/**
 * The images of this machine: `spark`, `apache/spark` and every repository whose name has `spark` in its last part are
 * an installed Spark of the tag's line (the newest, when the tag names no version); `busybox` and the like are this
 * machine's programs.
 */
export function localImages({ host, directory, sparks, javaHome }: LocalImagesOptions): Images {
  // Asked at once: it takes longer than anything else that a first pod waits for.
  const python = findPython(host);
  // By the Spark that it is made of.
  const composed = new Map<string | undefined, ComposedImage>();
  return {
    async find(reference): Promise<ImageAnswer> {
      const parsed = parseImageReference(reference);
      if ("problem" in parsed) return { reason: "InvalidImageName", message: parsed.problem };
      const isSpark = /(^|[^a-z])spark([^a-z]|$)/.test(
        parsed.repository.slice(parsed.repository.lastIndexOf("/") + 1),
      );
      const spark = isSpark ? chooseSpark(sparks, parsed.tag) : undefined;
      if (spark === undefined && !plainRepositories.includes(parsed.repository)) {
        return { reason: "ErrImagePull", message: notFound(parsed, isSpark, sparks) };
      }
      const parts = { files: host.files, directory, python: await python, javaHome };
      const known = composed.get(spark?.home);
      const image = known ?? (spark === undefined ? plainImage(parts) : sparkImage(parts, spark.home));
      composed.set(spark?.home, image);
      return { image: { ...image, reference } };
    },
  };
}

type InstalledSpark = LocalImagesOptions["sparks"][number];

/** The very version of a tag, else the newest of its line; the newest of all for a tag without a version. */
function chooseSpark(sparks: readonly InstalledSpark[], tag: string | undefined): InstalledSpark | undefined {
  const version = /^v?(\d+\.\d+(?:\.\d+)?)/.exec(tag ?? "")?.[1];
  const newestFirst = [...sparks].sort((a, b) => compareVersions(b.version, a.version));
  if (version === undefined) return newestFirst[0];
  const line = version.split(".").slice(0, 2).join(".");
  return (
    newestFirst.find((spark) => spark.version === version) ??
    newestFirst.find((spark) => spark.version === line || spark.version.startsWith(`${line}.`))
  );
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function notFound(
  { repository, tag }: ImageReference,
  isSpark: boolean,
  sparks: readonly InstalledSpark[],
): string {
  const name = `${repository}${tag === undefined ? "" : `:${tag}`}`;
  const there = sparks.map(({ version }) => `spark:${version}`).join(", ");
  const advice = isSpark ? ` (this machine has ${there || "no Spark"})` : "";
  return `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found${advice}`;
}
