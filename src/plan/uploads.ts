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

/** URI schemes of the file systems to which Firesteel can upload. */
const uploadSchemes = ["file", "s3a", "hdfs", "webhdfs", "swebhdfs", "http", "https"] as const;

/** Schemes of read-only file systems, which Spark rejects only during the upload. */
const readOnlySchemes: readonly string[] = ["http", "https"];

type UploadScheme = (typeof uploadSchemes)[number];

/** Upload of a file, or of a directory with its content, to a file system from which pods can fetch it. */
export interface Upload {
  readonly scheme: UploadScheme;
  /** Absolute path on this machine, with a trailing slash if the URI of a directory has one. */
  readonly path: string;
  /** 0 for a directory. */
  readonly sizeBytes: number;
  /** URI of the directory that is created for this file, e.g. `file:///shared/spark-upload-<uuid>`. */
  readonly directory: string;
  /** Name of the copy in that directory. */
  readonly name: string;
}

/** Uploads of a submission, and the settings by which the driver finds the copies. */
export interface PlannedUploads {
  readonly uploads: readonly Upload[];
  /** Lists of dependencies that contain uploaded files. */
  readonly properties: StringMap;
  /** URI of the primary resource. */
  readonly appResource: string;
}

/** Dependency and the URI of its copy. */
interface UploadTarget {
  readonly dependency: LocalDependency;
  readonly upload: Upload;
  readonly target: string;
}

/**
 * Assigns each local dependency a directory and a name: `<upload path>/spark-upload-<uuid>/<name>`.
 *
 * Source: Spark KubernetesUtils.uploadFileUri, BasicDriverFeatureStep.
 */
export function planUploads(request: SubmitRequest, facts: Facts): PlannedUploads {
  const { conf, appResource } = request;
  const placed = assignUploadTargets(request, facts);
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

/** Reports why local dependencies cannot be uploaded. In strict mode, a missing file is reported only by the upload, as in Spark. */
export function uploadIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  const { conf, behaviors } = request;
  const typed = conf.check([...dependencyLists, fileUploadPath]);
  const local = localDependencies(request);
  const [first] = local;
  if (first === undefined) return typed;
  const files = [...new Set(local.map(({ path }) => path))].join(", ");
  const path = uploadPath(request);
  const absent = behaviors.missingFiles === "early" ? absentIssues(request, facts) : [];
  if (typed.length > 0) return [...typed, ...absent];
  if (path === undefined)
    return [...absent, issue("SUBMIT_ERR_UPLOAD_PATH_MISSING", { key: fileUploadPath.key, files })];
  const scheme = schemeOf(path);
  if (!isServed(scheme, request)) {
    return behaviors.uploadSchemes === "spark"
      ? [
          issue("SUBMIT_ERR_UPLOAD_FAILED", {
            path: first.path,
            reason: `No FileSystem for scheme "${scheme}"`,
          }),
        ]
      : [issue("SUBMIT_ERR_UPLOAD_SCHEME", { key: fileUploadPath.key, path, scheme, files })];
  }
  return behaviors.uploadNames === "unique" ? [...absent, ...uploadNameIssues(local)] : absent;
}

/** Reports local dependencies that do not exist. */
export function absentIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return localDependencies(request).flatMap(({ path, key }, index) => {
    const seen = facts.dependencies[index];
    return seen !== undefined && seen.sizeBytes === undefined && !mayBeInImage(request, key)
      ? [issue("SUBMIT_ERR_DEPENDENCY_MISSING", { path, what: key ?? "the application", nearest: seen.nearest })]
      : [];
  });
}

function assignUploadTargets(request: SubmitRequest, facts: Facts): readonly UploadTarget[] {
  const path = uploadPath(request);
  const scheme = path === undefined ? undefined : schemeOf(path);
  if (path === undefined || scheme === undefined || !isServed(scheme, request)) return [];
  const local = localDependencies(request);
  const names = request.behaviors.uploadNames === "unique" ? uploadNames(local) : local;
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

/** Whether a missing file may be in the image: only an R application. */
export function mayBeInImage({ appResource }: SubmitRequest, key: string | undefined): boolean {
  return appResource.kind === "r" && key === undefined;
}

/** Replaces the URIs of uploaded files, which come first. */
function rewrittenList(conf: SparkConf, key: string, placed: readonly UploadTarget[]): string {
  const entry = dependencyLists.find((candidate) => candidate.key === key);
  const uris = entry === undefined ? [] : conf.get(entry);
  const others = uris.flatMap((uri) => (isSubmitterLocal(uri) ? [] : [uri.text]));
  return [...placed.map(({ target }) => target), ...others].join(",");
}

/** Returns the upload path. Spark reads an empty path as the root of the file system; Firesteel ignores it. */
export function uploadPath({ conf, behaviors }: SubmitRequest): string | undefined {
  const path = conf.read(fileUploadPath);
  if (!path.ok || path.value === undefined) return undefined;
  return behaviors.emptyUploadPath === "spark" || javaTrim(path.value) !== "" ? path.value : undefined;
}

function schemeOf(path: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(path)?.[1]?.toLowerCase() ?? "file";
}

function isServed(scheme: string, { behaviors }: SubmitRequest): scheme is UploadScheme {
  return (
    uploadSchemes.some((served) => served === scheme) &&
    (behaviors.uploadSchemes === "spark" || !readOnlySchemes.includes(scheme))
  );
}
