import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

const rejectionHints: Readonly<Record<number, string>> = {
  401: "Write a valid token to a file with `kubectl create token ACCOUNT --namespace NAMESPACE > FILE`, of an account that can create pods, and set spark.firesteel.staging.server.tokenFile to that file.",
  403: "Ask the administrator of the staging server for permission, or for a larger quota.",
};

/** Codes about files on their way to the pods: transports, the staging server, buckets. */
export const stagingCodes = {
  SUBMIT_ERR_STAGING_NONE: define<{ key: string; files: string }>({
    kind: "dependency",
    text: ({ key, files }) => `Pods cannot read ${files}, which exists only on this machine: ${key} is none.`,
    hint: () =>
      "Build the file into the image (local://), store it where pods can download it (https://, s3a://, …), or remove the setting.",
  }),
  SUBMIT_ERR_STAGING_NO_SERVER: define<{ key: string; serverKey: string }>({
    kind: "setting",
    text: ({ key, serverKey }) => `${key} is server, but ${serverKey} is not set.`,
    hint: ({ serverKey }) => `Set ${serverKey} to the URL of a \`firesteel staging-server\`.`,
  }),
  SUBMIT_ERR_STAGING_NO_BUCKET: define<{ key: string; pathKey: string }>({
    kind: "setting",
    text: ({ key, pathKey }) => `${key} is s3, but ${pathKey} has no bucket.`,
    hint: ({ pathKey }) => `Set a bucket, e.g. ${pathKey}=s3://bucket/staging.`,
  }),
  SUBMIT_ERR_STAGING_NO_INIT_IMAGE: define<{ key: string; files: string }>({
    kind: "setting",
    text: ({ key, files }) => `An init container must bring ${files} to the driver, but ${key} is not set.`,
    hint: ({ key }) =>
      `Build its image with \`firesteel image build spark-init-container --tag REPO/NAME:TAG --push\`, and set ${key} to that name. Files below 512 KiB in all need no init container.`,
  }),
  SUBMIT_ERR_STAGING_S3: define<{ bucket: string; path: string; reason: string }>({
    kind: "cluster",
    text: ({ bucket, path, reason }) => `Cannot upload ${path} to the bucket ${bucket}: ${reason}`,
    hint: () =>
      "Check the credentials, which are found as AWS tools find them. They need s3:GetObject and s3:PutObject on the bucket, and s3:ListBucket to detect missing objects.",
  }),
  SUBMIT_ERR_SWEEP_BUCKET: define<{ bucket: string; reason: string }>({
    kind: "cluster",
    text: ({ bucket, reason }) => `Cannot sweep the bucket ${bucket}: ${reason}`,
    hint: () =>
      "Check the credentials, which are found as AWS tools find them. They need s3:ListBucket, s3:GetObject and s3:DeleteObject, and for incomplete uploads s3:ListBucketMultipartUploads, s3:ListMultipartUploadParts and s3:AbortMultipartUpload.",
  }),
  SUBMIT_ERR_STAGING_CLEANUP_INCOMPLETE: define<{ bundleId: string; server: string; expiresAt: string }>({
    kind: "dependency",
    text: ({ bundleId, server }) => `Not cleaned up: the bundle ${bundleId} may still exist on ${server}`,
    hint: ({ expiresAt }) => `Do nothing: the server removes it after ${expiresAt}.`,
  }),
  SUBMIT_ERR_STAGING_TOO_LARGE: define<{
    key: string;
    /** Size as base64, as for both limits. */
    sizeBytes: number;
    limitBytes: number;
    maxBytesPerSecret: number;
    /** The path of the largest file. */
    largest: string;
    serverKey: string;
    uploadPathKey: string;
  }>({
    kind: "dependency",
    text: ({ key, sizeBytes, limitBytes, largest }) =>
      `The files of this machine are too large for Secrets: ${sizeBytes} bytes as base64, but ${key} is ${limitBytes}. The largest is ${largest}.`,
    hint: ({ key, maxBytesPerSecret, serverKey, uploadPathKey }) =>
      `Set ${serverKey} to a staging server, or ${uploadPathKey} to a file system that this machine and the pods share (file:///…); build the files into the image (local://), or store them where pods can download them (https://, s3a://, …); or raise ${key}, within ${maxBytesPerSecret} bytes as base64 per file.`,
  }),
  SUBMIT_ERR_STAGING_MODE: define<{ key: string; mode: string; reason: string; remedy: string }>({
    kind: "setting",
    text: ({ key, mode, reason }) => `${key} is ${mode}, but ${reason}.`,
    hint: ({ key, remedy }) => `Remove ${key}, so that executors fetch the files from their driver; or ${remedy}.`,
  }),
  SUBMIT_ERR_STAGING_REMOTE_FILES: define<{ key: string; transportKey: string }>({
    kind: "setting",
    text: ({ key, transportKey }) =>
      `${key} is initContainer, but ${transportKey} is secret, which brings files to the driver without an init container.`,
    hint: ({ key, transportKey }) => `Remove ${transportKey}; or remove ${key}, so that Spark fetches remote files.`,
  }),
  SUBMIT_ERR_STAGING_REMOTE_FILE: define<{ uri: string; reason: string }>({
    kind: "dependency",
    text: ({ uri, reason }) => `The init container cannot fetch ${uri}: ${reason}`,
    hint: () =>
      "Correct the address or the settings of its file system (spark.hadoop.*, HADOOP_CONF_DIR); or remove spark.firesteel.staging.remoteFiles, so that Spark fetches the file.",
  }),
  SUBMIT_ERR_STAGING_PUSH_SETTING: define<{ key: string; value: string; missing: string }>({
    kind: "setting",
    text: ({ key, value, missing }) => `${key} is ${value}, but ${missing} is not set.`,
    hint: ({ key, missing }) => `Set ${missing}, or change ${key}.`,
  }),
  SUBMIT_ERR_STAGING_PUSH_STEP: define<{ key: string; steps: string; found: readonly string[] }>({
    kind: "setting",
    text: ({ key, steps, found }) =>
      found.length === 0
        ? `${key} is FeatureStep, but no module of ${steps} has the method pushUrl.`
        : `${key} is FeatureStep, but several modules of ${steps} have the method pushUrl: ${found.join(", ")}.`,
    hint: ({ steps }) =>
      `Name one module in ${steps} whose pushUrl returns the URL for the files; see docs/feature-steps.md.`,
  }),
  SUBMIT_ERR_STAGING_UNDELIVERED: define<{ pod: string; reason: string; nextStep?: string | undefined }>({
    kind: "cluster",
    text: ({ pod, reason }) => `The driver pod ${pod} did not receive the files of this machine: ${reason}`,
    hint: ({ nextStep }) => nextStep ?? "Find the cause with `firesteel diagnose`.",
  }),
  SUBMIT_ERR_STAGING_NO_ADDRESS: define<{ serviceType: string; reason: string; key: string }>({
    kind: "cluster",
    text: ({ serviceType, reason }) =>
      `The init container that waits for files cannot be reached by ${serviceType}: ${reason}`,
    hint: ({ key }) => `Set ${key}=PortForward to send the files through the Kubernetes API.`,
  }),
  SUBMIT_ERR_STAGING_NAME: define<{ path: string; name: string }>({
    kind: "dependency",
    text: ({ path, name }) => `Cannot send ${path} to the pods: the name ${name} is not allowed.`,
    hint: () => "Rename the file: use letters, digits, '.', '_' and '-', at most 255 characters.",
  }),
  SUBMIT_ERR_STAGING_NAME_CONFLICT: define<{ name: string; first: string; second: string }>({
    kind: "dependency",
    text: ({ name, first, second }) =>
      `Two different files have the same name ${name} in the driver's working directory: ${first} and ${second}.`,
    hint: () => "Rename one of them.",
  }),
  SUBMIT_ERR_STAGING_NOT_A_FILE: define<{ path: string }>({
    kind: "dependency",
    text: ({ path }) => `Cannot send ${path} to the pods: it is a directory.`,
    hint: () => "Pack it: Python packages as a .zip for --py-files, anything else as a .tar.gz for --archives.",
  }),
  SUBMIT_ERR_STAGING_DIRECTORY: define<{
    key: string;
    directory: string;
    workDirectory: string;
    sparkHome: string;
  }>({
    kind: "setting",
    text: ({ key, directory, workDirectory, sparkHome }) =>
      `Invalid directory in ${key}: ${directory} is inside ${workDirectory} or hides ${sparkHome}.`,
    hint: ({ workDirectory }) =>
      `Use another directory, or remove the setting: Spark copies the directory's files into ${workDirectory} and replaces files with the same names.`,
  }),
  SUBMIT_ERR_STAGING_CONFLICT: define<{ what: string; name: string; directory: string }>({
    kind: "dependency",
    text: ({ what, name, directory }) =>
      `Cannot mount the files of this machine at ${directory} as the volume ${name}: it conflicts with ${what}.`,
    hint: () => "Use another name or another mount path for your volume or container.",
  }),
  SUBMIT_ERR_STAGING_REJECTED: define<{
    server: string;
    /** The server of the upload: a staging server, or the init container of the driver. */
    by: "stagingServer" | "initContainer";
    what: string;
    status: number;
    message: string;
  }>({
    kind: "cluster",
    text: ({ server, what, status, message }) => `${server} rejected ${what} (${status}): ${message}`,
    hint: ({ by, status }) =>
      by === "initContainer"
        ? "Submit again. If it fails again, check the log of the init container."
        : (rejectionHints[status] ?? "Check the log of the staging server."),
  }),
  SUBMIT_ERR_STAGING_UNREACHABLE: define<{
    server: string;
    reason: string;
    isKept: boolean;
    /** The server's certificate or the TLS handshake is the reason. */
    isUntrusted?: boolean;
  }>({
    kind: "unreachable",
    text: ({ server, reason }) => `Cannot send the files to ${server}: ${reason}`,
    hint: ({ isKept, isUntrusted }) =>
      isUntrusted === true
        ? "Set spark.firesteel.staging.server.caCertFile to the file of the server's certificate authority, or correct the address or the certificate of the server."
        : isKept
          ? "Check that the staging server runs and that spark.firesteel.staging.server is its address, then submit again with the same arguments: the server keeps what it has received for a while."
          : "Check the connection and submit again, or use another transport or another service type of `push`. The partial upload was deleted with the driver pod.",
  }),
  SUBMIT_ERR_STAGED_FILE_CHANGED: define<{ path: string }>({
    kind: "dependency",
    text: ({ path }) => `${path} changed during the upload.`,
    hint: () => "Submit again when no process writes to the file.",
  }),
  SUBMIT_ERR_STAGING_PROPERTIES: define<{ path: string }>({
    kind: "usage",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ path }) => `Server properties file given at ${path} does not exist or is not a file.`,
  }),
  SUBMIT_ERR_STAGING_STORE: define<object>({
    kind: "usage",
    text: () => "The staging server has no store: --store is not specified.",
    hint: () =>
      "Pass a directory that survives restarts, e.g. of a PersistentVolume: --store /var/lib/firesteel-staging",
  }),
  SUBMIT_ERR_STAGING_TLS: define<{ reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ reason }) => `requirement failed: ${reason}`,
  }),
  SUBMIT_ERR_STAGING_START: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The staging server cannot start: ${reason}`,
    hint: () =>
      "Check that it has a writable directory, a free port, and its key and certificate; see docs/staging-server.md.",
  }),
};
