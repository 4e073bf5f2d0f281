import { pushKeyPem, pushServerCertPem, pushServiceType, pushTls } from "../../conf/entries/pushing.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { parseDependencyUri } from "../../values/dependency-uri.ts";
import { type localizingFiles, localizingPath } from "./localizing-files.ts";

/** Connection to a waiting init container, e.g. `NodePort`. */
export type PushServiceType = typeof pushServiceType.absent;

interface PushNames {
  readonly namespace: string;
  readonly resourceNamePrefix: string;
}

/** Returns the name of the Service, and of the Ingress or HTTPRoute, through which files are pushed to the waiting init container. */
export function pushServiceName({ resourceNamePrefix }: Pick<PushNames, "resourceNamePrefix">): string {
  return `${resourceNamePrefix}-push`;
}

/** Path of a submission at a host that many submissions share. */
export function pushBasePath({ namespace, resourceNamePrefix }: PushNames): string {
  return `/${namespace}/${resourceNamePrefix}`;
}

/** Annotations by which a controller is asked to expose a Service, and responds. Source: Spark's first client for Kubernetes. */
export const externalUriAnnotations = {
  requestKey: "spark-job.alpha.apache.org/provideExternalUri",
  responseKey: "spark-job.alpha.apache.org/resolvedExternalUri",
} as const;

/** File of the init container's TLS, on the submitter's machine or in the image. */
export interface PushTlsFile {
  readonly entry: ConfEntry<string | undefined>;
  /** Path on the submitter's machine; `undefined` for a file of the image. */
  readonly localPath: string | undefined;
  /** Path in the init container. */
  readonly path: string;
  /** Name in the Secret, if the submitter's file is there. */
  readonly secretKey: keyof typeof localizingFiles;
}

/** Key and certificate of the init container; `undefined` if it does not use TLS itself. */
export interface PushTlsFiles {
  readonly key: PushTlsFile;
  readonly certificate: PushTlsFile;
}

/** Types whose connections nothing else encrypts. Port forwarding is encrypted, and an Ingress or a Gateway ends TLS itself. */
const typesWithTls: readonly PushServiceType[] = ["NodePort", "ExternalAnnotation", "FeatureStep"];

/** Returns the files of the init container's TLS, if the settings enable it. */
export function pushTlsFiles(conf: SparkConf): PushTlsFiles | undefined {
  if (!conf.get(pushTls) || !typesWithTls.includes(conf.get(pushServiceType))) return undefined;
  return {
    key: tlsFile(conf, pushKeyPem, "serverKey"),
    certificate: tlsFile(conf, pushServerCertPem, "serverCertificate"),
  };
}

function tlsFile(conf: SparkConf, entry: PushTlsFile["entry"], secretKey: PushTlsFile["secretKey"]): PushTlsFile {
  const uri = parseDependencyUri(conf.get(entry) ?? "");
  if (uri.kind === "containerLocal")
    return { entry, secretKey, localPath: undefined, path: uri.text.replace(/^local:(\/\/)?/, "") };
  return {
    entry,
    secretKey,
    localPath: uri.kind === "submitterLocal" ? uri.path : uri.text,
    path: localizingPath(secretKey),
  };
}
