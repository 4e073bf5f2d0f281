import { failure, type Issue, issue, issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import { parseJavaLong } from "../values/java-number.ts";
import type { PrefixEntry } from "./entry.ts";
import type { SparkConf } from "./spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "./spark-version.ts";
import type { VolumeMountSpec, VolumeSpec } from "./volume-spec.ts";

/** The valid volumes of a role, and the problems of the others. */
export interface ParsedVolumes {
  readonly specs: readonly VolumeSpec[];
  readonly issues: readonly Issue[];
}

/**
 * Parses the volumes of a role from `spark.kubernetes.<role>.volumes.<type>.<name>.*`, sorted by type and name.
 *
 * Errors: SUBMIT_ERR_VOLUME_SUB_PATHS, …_VOLUME_MOUNT_PATH_MISSING, …_VOLUME_INPUT, …_VOLUME_OPTION_MISSING,
 * …_VOLUME_SIZE_WITHOUT_UNIT, …_VOLUME_TYPE. Source: Spark KubernetesVolumeUtils.parseVolumesWithPrefix.
 */
export function parseVolumeSpecs(conf: SparkConf, family: PrefixEntry): ParsedVolumes {
  const options = conf.withPrefix(family);
  const traits = traitsOf(conf.version.line);
  const volumes = new Set([...options.keys()].flatMap(volumeOf));
  const results = [...volumes].map((volume) => {
    const [type = "", name = ""] = volume.split(".");
    return parseVolume({ type, name, options, family, traits });
  });
  return {
    specs: results.flatMap((result) => (result.ok ? [result.value] : [])),
    issues: results.flatMap(issuesOf),
  };
}

/** Returns `<type>.<name>` of a key. Either may be empty, but a key without further parts does not name a volume. */
function volumeOf(key: string): readonly string[] {
  return /^[^.]*\.[^.]*/.exec(key.replace(/\.+$/, "")) ?? [];
}

interface VolumeText {
  readonly type: string;
  readonly name: string;
  /** All options of the family, by their key without the prefix. */
  readonly options: ReadonlyMap<string, string>;
  readonly family: PrefixEntry;
  readonly traits: SparkLineTraits;
}

function parseVolume(volume: VolumeText): Result<VolumeSpec> {
  const mount = parseMount(volume);
  const source = parseSource(volume);
  if (mount.ok && source.ok) return success({ ...mount.value, ...source.value });
  return { ok: false, issues: [mount, source].flatMap(issuesOf) };
}

function parseMount({ type, name, options, family, traits }: VolumeText): Result<VolumeMountSpec> {
  const key = (option: string) => `${type}.${name}.mount.${option}`;
  const path = options.get(key("path"));
  const readOnly = options.get(key("readOnly")) ?? "false";
  const subPath = options.get(key("subPath"));
  const subPathExpr = traits.volumeOptions2025 ? options.get(key("subPathExpr")) : undefined;
  const issues: Issue[] = [];
  if (subPath !== undefined && subPathExpr !== undefined) {
    issues.push(issue("SUBMIT_ERR_VOLUME_SUB_PATHS", { keys: [key("subPath"), key("subPathExpr")] }));
  }
  if (path === undefined) issues.push(issue("SUBMIT_ERR_VOLUME_MOUNT_PATH_MISSING", { key: key("path") }));
  if (!/^(?:true|false)$/i.test(readOnly)) {
    issues.push(
      issue("SUBMIT_ERR_VOLUME_INPUT", {
        key: `${family.prefix}${key("readOnly")}`,
        value: readOnly,
        allowed: "true or false",
      }),
    );
  }
  if (path === undefined || issues.length > 0) return { ok: false, issues };
  return success({
    name,
    mountPath: path,
    readOnly: readOnly.toLowerCase() === "true",
    subPath: subPath ?? "",
    subPathExpr: subPathExpr ?? "",
  });
}

/** Volume spec without its mount. */
type Source<S> = S extends VolumeSpec ? Omit<S, keyof VolumeMountSpec> : never;

function parseSource(volume: VolumeText): Result<Source<VolumeSpec>> {
  const reader = readOptions(volume);
  const source = sourceOf(volume, reader);
  if (source === undefined) return failure("SUBMIT_ERR_VOLUME_TYPE", { type: volume.type });
  return unlessIssues(reader.issues, source);
}

function sourceOf(volume: VolumeText, reader: OptionReader): Source<VolumeSpec> | undefined {
  const { type, traits } = volume;
  switch (type) {
    case "hostPath": {
      const hostPathType = traits.volumeOptions2025 ? reader.optional("type") : undefined;
      return { type, path: reader.required("path"), hostPathType: hostPathType ?? "" };
    }
    case "emptyDir":
      return { type, medium: reader.optional("medium") ?? "", sizeLimit: reader.size("sizeLimit") };
    case "nfs":
      return { type, path: reader.required("path"), server: reader.required("server") };
    case "persistentVolumeClaim":
      return {
        type,
        claimName: reader.required("claimName"),
        storageClass: reader.optional("storageClass"),
        sizeLimit: reader.size("sizeLimit"),
        labels: claimTexts(volume, "label"),
        annotations: claimTexts(volume, "annotation"),
      };
    default:
      return undefined;
  }
}

/** Reader of `options.<key>` of one volume, which collects issues. */
interface OptionReader {
  readonly optional: (key: string) => string | undefined;
  readonly required: (key: string) => string;
  readonly size: (key: string) => string | undefined;
  readonly issues: readonly Issue[];
}

function readOptions({ type, name, options, family, traits }: VolumeText): OptionReader {
  const issues: Issue[] = [];
  const fullKey = (key: string) => `${type}.${name}.options.${key}`;
  const optional = (key: string) => options.get(fullKey(key));
  return {
    issues,
    optional,
    required: (key) => {
      const value = optional(key);
      if (value === undefined) issues.push(issue("SUBMIT_ERR_VOLUME_OPTION_MISSING", { key: fullKey(key), type }));
      return value ?? "";
    },
    size: (key) => {
      const value = optional(key);
      const named = `${family.prefix}${fullKey(key)}`;
      if (value !== undefined && traits.volumeOptions2025) issues.push(...checkSize(named, value));
      else if (value === "") issues.push(issue("SUBMIT_ERR_QUANTITY", { key: named, value }));
      return value;
    },
  };
}

/** Rejects numbers below 1024 without a unit. Kubernetes checks all other sizes. */
function checkSize(key: string, value: string): readonly Issue[] {
  if (!/^\d*$/.test(value)) return [];
  const bytes = parseJavaLong(value);
  if (bytes === undefined) {
    return [issue("SUBMIT_ERR_VOLUME_INPUT", { key, value, allowed: "a size such as 10Gi" })];
  }
  return bytes < 1024 ? [issue("SUBMIT_ERR_VOLUME_SIZE_WITHOUT_UNIT", { key, value })] : [];
}

function claimTexts({ type, name, options, traits }: VolumeText, what: string): ReadonlyMap<string, string> {
  const prefix = `${type}.${name}.${what}.`;
  if (!traits.volumeOptions2025) return new Map();
  return new Map(
    [...options].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}
