import { archives } from "../conf/entries/app.ts";
import { fileUploadPath } from "../conf/entries/staging.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { javaTrim } from "../values/java-trim.ts";
import { withFragment } from "../values/uri.ts";
import { dependencyLists } from "./dependencies.ts";
import type { Facts } from "./facts.ts";
import { isSubmitterLocal, type LocalDependency, localDependencies } from "./local-dependencies.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { uploadNameIssues, uploadNames } from "./upload-names.ts";

/** Kinds of file systems that dependencies can be uploaded to, by the scheme of a URI; to others only Spark begins to. */
const uploadSchemes = ["file", "s3a", "hdfs", "webhdfs", "swebhdfs", "http", "https"] as const;

/** Of these, Spark finds out only when it uploads that nothing can be. */
const readOnlySchemes: readonly string[] = ["http", "https"];

export type UploadScheme = (typeof uploadSchemes)[number];

/** One file, or a folder with all in it, on its way to where the pods can fetch it. */
export interface Upload {
  readonly scheme: UploadScheme;
  /** Absolute path on this machine, with a slash at its end where a folder was named. */
  readonly path: string;
  /** 0 of a folder. */
  readonly sizeBytes: number;
  /** The folder that is made for this one file, e.g. `file:///shared/spark-upload-<uuid>`. */
  readonly directory: string;
  /** The name of the copy in that folder. */
  readonly name: string;
}

/** What is uploaded, and what the driver is told instead of the names that only this machine knows. */
export interface PlannedUploads {
  readonly uploads: readonly Upload[];
  /** The lists of dependencies in which something was uploaded. */
  readonly properties: StringMap;
  /** The application's own resource. */
  readonly appResource: string;
}

/** A dependency and where its copy is to be, a URI. */
interface Placed {
  readonly dependency: LocalDependency;
  readonly upload: Upload;
  readonly target: string;
}

/**
 * Decides where each local dependency goes: `<upload path>/spark-upload-<uuid>/<name>`, a folder for each.
 *
 * Source: Spark KubernetesUtils.uploadFileUri, BasicDriverFeatureStep.
 */
export function planUploads(request: SubmitRequest, facts: Facts): PlannedUploads {
  const { conf, appResource } = request;
  const placed = placeDependencies(request, facts);
  const application = placed.find(({ dependency }) => dependency.key === undefined);
  const properties = dependencyLists.flatMap(({ key }) => {
    const own = placed.filter(({ dependency }) => dependency.key === key);
    return own.length === 0 ? [] : [[key, rewrittenList(conf, key, own)] as const];
  });
  return {
    uploads: placed.map(({ upload }) => upload),
    properties: Object.fromEntries(properties),
    appResource: application?.target ?? appResource.uri,
  };
}

/** Why local dependencies cannot reach the pods; a missing file only where we do better than Spark. */
export function uploadIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  const { conf, strict } = request;
  const typed = conf.check([...dependencyLists, fileUploadPath]);
  const local = localDependencies(request);
  const [first] = local;
  if (typed.length > 0 || first === undefined) return typed;
  const files = [...new Set(local.map(({ path }) => path))].join(", ");
  const path = uploadPath(request);
  const absent = strict ? [] : absentIssues(request, facts);
  if (path === undefined)
    return [...absent, issue("SUBMIT_ERR_UPLOAD_PATH_MISSING", { key: fileUploadPath.key, files })];
  const scheme = schemeOf(path);
  if (!isServed(scheme, request)) {
    return strict
      ? [
          issue("SUBMIT_ERR_UPLOAD_FAILED", {
            path: first.path,
            reason: `No FileSystem for scheme "${scheme}"`,
          }),
        ]
      : [issue("SUBMIT_ERR_UPLOAD_SCHEME", { key: fileUploadPath.key, path, scheme, files })];
  }
  return strict ? absent : [...absent, ...uploadNameIssues(local)];
}

/** Local dependencies that are not there. */
export function absentIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return localDependencies(request).flatMap(({ path, key }, index) => {
    const seen = facts.dependencies[index];
    return seen !== undefined && seen.sizeBytes === undefined && !mayBeInImage(request, key)
      ? [issue("SUBMIT_ERR_UPLOAD_FAILED", { path, reason: missing(path, key) })]
      : [];
  });
}

function missing(path: string, key: string | undefined): string {
  return `${path} (${key ?? "the application"}) is no file of this machine`;
}

function placeDependencies(request: SubmitRequest, facts: Facts): readonly Placed[] {
  const path = uploadPath(request);
  const scheme = path === undefined ? undefined : schemeOf(path);
  if (path === undefined || scheme === undefined || !isServed(scheme, request)) return [];
  const local = localDependencies(request);
  const names = request.strict ? local : uploadNames(local);
  return local.flatMap((dependency, index) => {
    const { uuid = "", sizeBytes } = facts.dependencies[index] ?? {};
    if (sizeBytes === undefined && mayBeInImage(request, dependency.key)) return [];
    const directory = `${path}/spark-upload-${uuid}`;
    const { name, fragment } = names[index] ?? dependency;
    const upload = { scheme, path: dependency.path, sizeBytes: sizeBytes ?? 0, directory, name };
    const target = `${directory}/${name}`;
    return [
      {
        dependency,
        upload,
        target: dependency.key === archives.key ? withFragment(target, fragment) : target,
      },
    ];
  });
}

/** An R file that is not here may be in the image. */
export function mayBeInImage({ appResource }: SubmitRequest, key: string | undefined): boolean {
  return appResource.kind === "r" && key === undefined;
}

/** Uploaded ones first. */
function rewrittenList(conf: SparkConf, key: string, placed: readonly Placed[]): string {
  const entry = dependencyLists.find((candidate) => candidate.key === key);
  const uris = entry === undefined ? [] : conf.get(entry);
  const others = uris.flatMap((uri) => (isSubmitterLocal(uri) ? [] : [uri.text]));
  return [...placed.map(({ target }) => target), ...others].join(",");
}

/** An empty one is the root of the file system to Spark, which nobody means. */
export function uploadPath({ conf, strict }: SubmitRequest): string | undefined {
  const path = conf.read(fileUploadPath);
  if (!path.ok || path.value === undefined) return undefined;
  return strict || javaTrim(path.value) !== "" ? path.value : undefined;
}

function schemeOf(path: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(path)?.[1]?.toLowerCase() ?? "file";
}

function isServed(scheme: string, { strict }: SubmitRequest): scheme is UploadScheme {
  return uploadSchemes.some((served) => served === scheme) && (strict || !readOnlySchemes.includes(scheme));
}
