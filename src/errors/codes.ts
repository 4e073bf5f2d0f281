/** Who can act on a failure. */
export type ErrorKind =
  | "usage"
  | "setting"
  | "dependency"
  | "template"
  | "cluster"
  | "unreachable"
  | "timeout"
  | "environment"
  | "internal";

/** One row of the catalogue of failures. A code, once released, keeps its meaning for ever. */
export interface ErrorCodeEntry<F> {
  readonly kind: ErrorKind;
  /** The sentence. `spark` wording is that of Apache Spark, word for word. */
  readonly text: (fields: F) => string;
  readonly wording?: "spark";
  /** The exception class Apache Spark names before the text; default `org.apache.spark.SparkException`. */
  readonly javaClass?: string;
  readonly hint?: (fields: F) => string;
  /** Answer of the REST gateway; default follows from `kind`. */
  readonly httpStatus?: number;
}

const illegalArgument = "java.lang.IllegalArgumentException";

function define<F>(entry: ErrorCodeEntry<F>): ErrorCodeEntry<F> {
  return entry;
}

/** The form of Spark's messages about settings since 4.1. */
function invalidValue(condition: string, key: string, value: string, requirement: string): string {
  return `[INVALID_CONF_VALUE.${condition}] The value '${value}' in the config "${key}" is invalid. ${requirement} SQLSTATE: 22022`;
}

/** A call that a Kubernetes API refused, and its own words about that. */
interface RefusedCall {
  readonly method: string;
  /** Without query. */
  readonly url: string;
  /** E.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly message: string;
}

function refusedCall({ method, url, message }: RefusedCall): string {
  return `Failure executing: ${method} at: ${url}. Message: ${message}.`;
}

/** Every way in which a submission, the embedded cluster or the search for a Spark can be stopped. */
export const errorCodes = {
  SUBMIT_ERR_ARG_UNKNOWN: define<{ option: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Unrecognized option: ${option}`,
  }),
  SUBMIT_ERR_ARG_VALUE_MISSING: define<{ option: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Missing argument for option '${option}'.`,
  }),
  SUBMIT_ERR_SETTING_TYPE: define<{
    key: string;
    value: string;
    type: string;
    reason?: string;
    condition: boolean;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, type, reason, condition }) =>
      condition
        ? invalidValue("TYPE_MISMATCH", key, value, `It should be a/an '${type}' value.`)
        : (reason ?? `${key} should be ${type}, but was ${value}`),
  }),
  SUBMIT_ERR_SETTING_VALUE: define<{ key: string; value: string; requirement: string; condition: boolean }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, requirement, condition }) =>
      condition
        ? invalidValue("REQUIREMENT", key, value, requirement)
        : `'${value}' in ${key} is invalid. ${requirement}`,
  }),
  SUBMIT_ERR_SETTING_CHOICE: define<{ key: string; value: string; choices: string; condition: boolean }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, choices, condition }) =>
      condition
        ? invalidValue("OUT_OF_RANGE_OF_OPTIONS", key, value, `It should be one of '${choices}'.`)
        : `The value of ${key} should be one of ${choices}, but was ${value}`,
  }),
  SUBMIT_ERR_SETTING_RAW_INTEGER: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value }) => `Illegal value for config key ${key}: For input string: "${value}"`,
  }),
  SUBMIT_ERR_SETTING_CIRCULAR: define<{ text: string; reference: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ text, reference }) => `requirement failed: Circular reference in ${text}: ${reference}`,
  }),
  SUBMIT_ERR_MASTER_PREFIX: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "requirement failed: Kubernetes master URL must start with k8s://.",
  }),
  SUBMIT_ERR_MASTER_SCHEME: define<{ scheme: string; url: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ scheme, url }) => `Invalid Kubernetes master scheme: ${scheme} found in URL: ${url}`,
  }),
  SUBMIT_ERR_LABEL_RESERVED: define<{ label: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ label }) =>
      `requirement failed: Label with key ${label} is not allowed as it is reserved for Spark bookkeeping operations.`,
  }),
  SUBMIT_ERR_IMAGE_MISSING: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    text: () => "Must specify the driver container image",
    hint: ({ key }) => `Set ${key}, e.g. --conf ${key}=apache/spark:4.0.0.`,
  }),
  SUBMIT_ERR_DRIVER_ADDRESS: define<{ key: string; reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, reason }) =>
      `requirement failed: ${key} is not supported in Kubernetes mode, as ${reason}.`,
  }),
  SUBMIT_ERR_QUANTITY: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "Invalid quantity string format passed.",
    hint: ({ key, value }) => `${key} is "${value}"; Kubernetes reads numbers such as 2, 0.5 and 500m.`,
  }),
  SUBMIT_ERR_DRIVER_RESOURCE: define<{ text: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ text }) => text,
  }),
  SUBMIT_ERR_FEATURE_STEP_JAVA: define<{ key: string; className: string }>({
    kind: "setting",
    text: ({ key, className }) =>
      `${key} names the Java class ${className}, which cannot run here: there is no JVM.`,
    hint: ({ key }) => `Leave ${key} out, and say what the class does with a pod template.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_BUILT_IN: define<{ key: string; className: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.NoSuchMethodException",
    text: ({ className }) => `${className}.<init>()`,
    hint: ({ key }) => `Spark's own steps always take part; leave them out of ${key}.`,
  }),
  SUBMIT_ERR_UPLOAD_PATH_MISSING: define<{ key: string; files: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ key }) => `Please specify ${key} property.`,
    hint: ({ files }) =>
      `The pods cannot see ${files}: put it into the image (local://) or where they can fetch it.`,
  }),
  SUBMIT_ERR_UPLOAD_UNSUPPORTED: define<{ files: string }>({
    kind: "dependency",
    text: ({ files }) => `Local files are not yet carried to the pods: ${files}.`,
    hint: () => "Put them into the image and name them with local://, or name a remote URI.",
  }),
  SUBMIT_ERR_TEMPLATE_UNUSABLE: define<{ path: string; reason: string }>({
    kind: "template",
    wording: "spark",
    text: () => "Could not load pod from template file.",
    hint: ({ path, reason }) => `${path}: ${reason}.`,
  }),
  SUBMIT_ERR_TEMPLATE_NOT_A_POD: define<{ path: string; kind: string }>({
    kind: "template",
    text: ({ path, kind }) => `The pod template ${path} is of kind ${kind}, not Pod.`,
    hint: () => "A template begins with `apiVersion: v1` and `kind: Pod`.",
  }),
  SUBMIT_ERR_TEMPLATE_SCHEME: define<{ key: string; uri: string }>({
    kind: "template",
    text: ({ key, uri }) => `The pod template ${uri} of ${key} cannot be fetched: only local files are read.`,
    hint: () => "Download it, and name the file.",
  }),
  SUBMIT_ERR_TEMPLATE_MISSING: define<{ key: string; path: string }>({
    kind: "template",
    text: ({ key, path }) => `The file of ${key} does not exist or cannot be read: ${path}`,
  }),
  SUBMIT_ERR_CREDENTIAL_FILE: define<{ what: string; path: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ what, path }) =>
      `requirement failed: ${what} provided at ${path} does not exist or is not a file.`,
  }),
  SUBMIT_ERR_CONF_FILE: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `The file ${path} of the configuration directory cannot be read: ${reason}.`,
    hint: () => "Make it readable, or set SPARK_CONF_DIR to another directory.",
  }),
  SUBMIT_ERR_KUBE_UNREACHABLE: define<{ server: string; reason: string; tried: string }>({
    kind: "unreachable",
    text: ({ server, reason }) => `An error has occurred. No answer from ${server}: ${reason}`,
    hint: ({ server, tried }) =>
      `Tried ${tried}. Check the address in --master, the network, HTTPS_PROXY and NO_PROXY, e.g. with: kubectl --server ${server} version`,
  }),
  SUBMIT_ERR_KUBE_TIMEOUT: define<{ method: string; path: string; server: string; limitMs: number }>({
    kind: "timeout",
    wording: "spark",
    text: ({ method, path, server, limitMs }) =>
      `The timeout period of ${limitMs}ms has been exceeded while executing ${method} ${path} for server ${server}`,
    hint: () =>
      "The API server is slow or overloaded: try again, or allow more time with spark.kubernetes.submission.requestTimeout.",
  }),
  SUBMIT_ERR_KUBE_UNAUTHORIZED: define<RefusedCall>({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: ({ server }) =>
      `${server} does not accept these credentials: renew the token or client certificate of the kubeconfig's user, or check what kubectl config view shows for the context.`,
  }),
  SUBMIT_ERR_KUBE_FORBIDDEN: define<
    RefusedCall & { verb: string; resource: string; namespace: string | undefined }
  >({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: ({ verb, resource, namespace }) =>
      `Ask for the right; this shows whether you have it: kubectl auth can-i ${verb} ${resource}${namespace === undefined ? "" : ` -n ${namespace}`}`,
  }),
  SUBMIT_ERR_KUBE_NOT_FOUND: define<RefusedCall & { missingNamespace: string | undefined }>({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: ({ missingNamespace, server }) =>
      missingNamespace === undefined
        ? `Check that ${server} is a Kubernetes API server that serves this kind.`
        : `Create it with: kubectl create namespace ${missingNamespace}. Or name another one with spark.kubernetes.namespace.`,
  }),
  SUBMIT_ERR_KUBE_CONFLICT: define<
    RefusedCall & { resource: string; name: string | undefined; namespace: string | undefined }
  >({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    httpStatus: 409,
    hint: ({ resource, name, namespace }) =>
      name === undefined
        ? "Another client changed the object at the same time: try again."
        : `Choose another name, or look at what is in the way: kubectl get ${resource} ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`,
  }),
  SUBMIT_ERR_KUBE_TOO_LARGE: define<RefusedCall>({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: () =>
      "A ConfigMap or Secret holds at most 1 MiB: take large files out of the configuration directory, or pass them with --files.",
  }),
  SUBMIT_ERR_KUBE_INVALID: define<RefusedCall>({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: () => "Correct the setting or the pod template that the message names.",
  }),
  SUBMIT_ERR_KUBE_REFUSED: define<RefusedCall & { status: number }>({
    kind: "cluster",
    wording: "spark",
    text: refusedCall,
    hint: ({ status, server }) =>
      status >= 500 || status === 429
        ? `${server} answered ${status} to every attempt: try again later, or look at the API server's own log.`
        : `${server} answered ${status}, which no submission expects: check that it is a Kubernetes API server.`,
  }),
  SUBMIT_ERR_KUBE_ANSWER: define<{ method: string; url: string; reason: string }>({
    kind: "cluster",
    text: ({ method, url, reason }) => `The answer to ${method} ${url} cannot be read: ${reason}`,
    hint: () => "Check that the address in --master is a Kubernetes API server and not a proxy's login page.",
  }),
  SUBMIT_ERR_KUBE_CONFIG: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `The kubeconfig ${path} cannot be used: ${reason}`,
    hint: ({ path }) =>
      `Correct it, or name another file in KUBECONFIG; kubectl --kubeconfig ${path} config view checks it.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_FILE: define<{ path: string; what: string }>({
    kind: "setting",
    text: ({ path, what }) => `The ${what} ${path} cannot be read.`,
    hint: () => "Name a file that exists and that you may read.",
  }),
  SUBMIT_ERR_KUBE_AUTH_TWICE: define<{ prefix: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ prefix }) =>
      `requirement failed: Cannot specify OAuth token through both a file ${prefix}.oauthTokenFile and a value ${prefix}.oauthToken.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_EXEC: define<{ user: string; command: string }>({
    kind: "setting",
    text: ({ user, command }) =>
      `The kubeconfig's user ${user} gets credentials from the program ${command}, which is not supported.`,
    hint: () =>
      "Pass a token with spark.kubernetes.authenticate.submission.oauthToken or oauthTokenFile, e.g. from: kubectl create token.",
  }),
  SUBMIT_ERR_KUBE_AUTH_PEM: define<{ what: string; reason: string }>({
    kind: "setting",
    text: ({ what, reason }) => `The ${what} cannot be used: ${reason}`,
    hint: () => "It must be in PEM form; a private key without a pass phrase, and matching the certificate.",
  }),
  SUBMIT_ERR_KUBE_PROXY: define<{ variable: string; value: string }>({
    kind: "setting",
    text: ({ variable, value }) =>
      `The proxy in ${variable} is not a URL of the form http://host:port: ${value}`,
    hint: ({ variable }) => `Correct or unset ${variable}.`,
  }),
  SUBMIT_ERR_INTERRUPTED: define<Record<never, never>>({
    kind: "environment",
    text: () => "Interrupted.",
  }),
  SUBMIT_ERR_SPARK_INSTALL: define<{ version: string; reasons: readonly string[] }>({
    kind: "environment",
    text: ({ version, reasons }) => [`Spark ${version} could not be had.`, ...reasons].join("\n  "),
    hint: () =>
      "Install python3 and pip (Debian, Ubuntu: apt-get install python3-pip) and try again, or unpack a Spark distribution and name its folder in SPARK_HOME.",
  }),
  SUBMIT_ERR_SPARK_VERSION: define<{ text: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ text }) => `Not a Spark version that we know: ${text}`,
    hint: ({ known }) => `Name a release such as 4.3.0, or a line: ${known.join(", ")}.`,
  }),
  SUBMIT_ERR_JAVA_MISSING: define<{ reason: string; advice: string }>({
    kind: "environment",
    text: ({ reason }) => `Spark needs Java 17 or later, and there is none. ${reason}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_CLUSTER_START: define<{ name: string; log: string; lines: string }>({
    kind: "environment",
    text: ({ name, lines }) => `The cluster "${name}" did not start.${lines === "" ? "" : `\n${lines}`}`,
    hint: ({ log }) => `The whole log is in ${log}.`,
  }),
  SUBMIT_ERR_CLUSTER_ABSENT: define<{ name: string }>({
    kind: "environment",
    text: ({ name }) => `The cluster "${name}" is not running.`,
    hint: ({ name }) => `Start it: firesteel cluster start${name === "default" ? "" : ` --name ${name}`}`,
  }),
  SUBMIT_ERR_STEP_CLASH: define<{ what: string; first: string; second: string }>({
    kind: "internal",
    text: ({ what, first, second }) => `The steps ${first} and ${second} both set ${what}.`,
  }),
};

export type ErrorCode = keyof typeof errorCodes;

type FieldsByCode = { readonly [C in ErrorCode]: Parameters<(typeof errorCodes)[C]["text"]>[0] };

/** The fields that the words of a code are made of. */
export type ErrorFields<C extends ErrorCode> = FieldsByCode[C];

/** One row of the catalogue. */
export function errorCodeEntry<C extends ErrorCode>(code: C): ErrorCodeEntry<ErrorFields<C>> {
  const rows: { readonly [K in ErrorCode]: ErrorCodeEntry<FieldsByCode[K]> } = errorCodes;
  return rows[code];
}
