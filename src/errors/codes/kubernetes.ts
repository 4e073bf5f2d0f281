import { define, type ErrorCodeEntry } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

const submissionIdForm = "Use NAMESPACE:POD or POD; a * can end it.";

/** A call that a Kubernetes API rejected. */
export interface RejectedCall {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  /** For example `https://10.0.0.1:6443`. */
  readonly server: string;
  /** The message of the API's `Status`. */
  readonly message: string;
}

/** Defines a rejection in the wording of Spark's Kubernetes client; only the hints differ. */
function defineRejection<F extends RejectedCall>(hint: (fields: F) => string): ErrorCodeEntry<F> {
  return {
    kind: "cluster",
    wording: "spark",
    javaClass: exceptionClasses.kubernetes,
    text: ({ method, url, message }) => `Failure executing: ${method} at: ${url}. Message: ${message}.`,
    hint,
  };
}

/** Prints kubectl's namespace option; nothing for a kind without namespaces. */
function namespaceOption(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` -n ${namespace}`;
}

const certificateHints = {
  authority:
    "Set spark.kubernetes.authenticate.submission.caCertFile, or the kubeconfig's certificate-authority, to the file of the server's certificate authority; spark.kubernetes.trust.certificates=true trusts any server.",
  name: "Use a host in --master that the certificate contains, or set tls-server-name in the kubeconfig's cluster to one of these names.",
  time: "Compare the clock of this machine with the certificate's dates. If the certificate has expired, ask the cluster's administrator to renew it.",
  weak: "Ask the cluster's administrator for a certificate with a stronger key, such as RSA with 2048 bits or EC P-256.",
} as const;

const handshakeHints: Readonly<Record<string, string>> = {
  "protocol version": "Ask the server's administrator to enable TLS 1.2 or 1.3.",
  "unsupported protocol": "Ask the server's administrator to enable TLS 1.2 or 1.3.",
  "no application protocol": "Check that the address in --master is that of a Kubernetes API, which accepts HTTP/1.1.",
  "unrecognized name":
    "Use a host in --master that the server knows, or set tls-server-name in the kubeconfig's cluster.",
};

/** Codes about the Kubernetes API, its credentials, and drivers in a cluster. */
export const kubernetesCodes = {
  SUBMIT_ERR_SUBMISSION_ID_NAME: define<{ id: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.noSuchElement,
    text: () => "last of empty String",
    hint: ({ id }) => `Add the name of a pod to "${id}". ${submissionIdForm}`,
  }),
  SUBMIT_ERR_SUBMISSION_ID_NAMESPACE: define<{ id: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.kubernetes,
    text: () => "namespace not specified for an operation requiring one.",
    hint: ({ id }) => `Add a namespace before the colon of "${id}". ${submissionIdForm}`,
  }),
  SUBMIT_ERR_NAMESPACE_UNKNOWN: define<{ name: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.kubernetes,
    text: () => "namespace not specified for an operation requiring one and no default was found in the Config.",
    hint: ({ name }) => `Add the namespace: NAMESPACE:${name}`,
  }),
  SUBMIT_ERR_TOKEN_REUSED: define<{ id: string; parts: readonly string[] }>({
    kind: "setting",
    text: ({ id, parts }) =>
      `The submission token belongs to another submission, with the driver ${id}. They differ in: ${parts.join(", ")}`,
    hint: ({ id }) => `Use a new token for a new submission, or wait for the existing driver: firesteel attach ${id}`,
  }),
  SUBMIT_ERR_DRIVER_MISSING: define<{ id: string; namespace: string | undefined }>({
    kind: "setting",
    text: ({ id, namespace }) =>
      `Driver ${id} not found in ${namespace === undefined ? "any namespace" : `namespace ${namespace}`}.`,
    hint: () => "List the drivers: firesteel ps",
  }),
  SUBMIT_ERR_DRIVER_AMBIGUOUS: define<{ id: string; ids: readonly string[] }>({
    kind: "setting",
    text: ({ id, ids }) => `${id} matches several drivers: ${ids.join(", ")}`,
    hint: () => "Use one of these IDs.",
  }),
  SUBMIT_ERR_EXECUTOR_MISSING: define<{ id: string | undefined; driver: string }>({
    kind: "setting",
    text: ({ id, driver }) =>
      `The driver ${driver} has no ${id === undefined ? "executors" : `executor ${id}`} in the cluster.`,
    hint: () =>
      "Spark deletes executors that have ended, unless spark.kubernetes.executor.deleteOnTermination is false. To keep their logs, set spark.firesteel.archive. To print a log while they run: firesteel logs ID --executors --follow",
  }),
  SUBMIT_ERR_UI_PORT: define<{ port: number; reason: string }>({
    kind: "environment",
    text: ({ port, reason }) => `Port ${port} of 127.0.0.1 cannot be used: ${reason}.`,
    hint: () => "Pass another port to --port, or 0 for any free port.",
  }),
  SUBMIT_ERR_DRIVER_NOT_RUNNING: define<{ id: string; state: string }>({
    kind: "setting",
    text: ({ id, state }) => `The driver ${id} is not running (${state}), so it serves no UI.`,
    hint: ({ id }) => `Find out why: firesteel diagnose ${id}`,
  }),
  SUBMIT_ERR_DRIVER_UI_NO_RESPONSE: define<{ id: string; port: number; reason: string }>({
    kind: "unreachable",
    text: ({ id, port, reason }) => `The UI of the driver ${id} does not respond on port ${port}: ${reason}`,
    hint: () =>
      "Try again if the driver has just started; otherwise check spark.ui.enabled and spark.ui.port, and whether network policies let the API server connect to the driver.",
  }),
  SUBMIT_ERR_RECORD: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `${path} is not a record of a submission: ${reason}.`,
    hint: () => "Pass a file with one JSON object that has startedAt, endMs and timeline.",
  }),
  SUBMIT_ERR_CLEANUP_INCOMPLETE: define<{
    namespace: string;
    references: readonly string[];
    reason: string;
  }>({
    kind: "cluster",
    // The command is in the message: strict mode prints no hints, but orphaned objects must still be reported.
    text: ({ namespace, references, reason }) =>
      `Not cleaned up: these objects may still exist in namespace ${namespace}: ${references.join(", ")} (${reason}). Delete them manually: kubectl delete --ignore-not-found -n ${namespace} ${references.join(" ")}`,
  }),
  SUBMIT_ERR_INTERRUPTED: define<Record<never, never>>({
    kind: "environment",
    text: () => "Interrupted.",
  }),
  SUBMIT_ERR_DRIVER_MASTER: define<{ key: string; value: string; address: string }>({
    kind: "setting",
    text: ({ key, value }) => `Invalid address in ${key}: ${value}. The driver would search a host named k8s.`,
    hint: ({ key, address }) =>
      `Write the address at which pods reach the API server, without k8s://: --conf ${key}=${address}`,
  }),
  SUBMIT_ERR_KUBE_NAMESPACE: define<{ namespace: string }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    // Both begin with Spark's first sentence.
    text: ({ namespace }) =>
      namespace === ""
        ? "namespace not specified for an operation requiring one."
        : `An error has occurred. Invalid namespace name: ${JSON.stringify(namespace)}.`,
    hint: () => "Use at most 63 lowercase letters, digits and -, e.g. spark-jobs.",
  }),
  SUBMIT_ERR_KUBE_NAME: define<{ kind: string; name: string }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    text: ({ kind, name }) => `An error has occurred. Invalid name of a ${kind}: ${JSON.stringify(name)}.`,
    hint: () => "Use lowercase letters, digits, - and dots.",
  }),
  SUBMIT_ERR_KUBE_ADDRESS: define<{ server: string }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    // All three begin with Spark's text.
    text: ({ server }) => {
      const [, host = "", port = ""] = /^\w+:\/\/([^/]*?)(?::(\d+))?(?:\/|$)/.exec(server) ?? [];
      if (host === "" && port !== "") return "host name must not be empty";
      if (Number(port) > 65535) return "port p must be in range 0 <= p <= 65535";
      return `An error has occurred. Invalid server address: ${server}.`;
    },
    hint: () => "Write the master as k8s://https://HOST:PORT.",
  }),
  SUBMIT_ERR_KUBE_UNREACHABLE: define<{ server: string; reason: string; failed?: string }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    text: ({ server, reason, failed = "An error has occurred." }) => `${failed} No response from ${server}: ${reason}`,
    hint: ({ server, reason }) =>
      reason.endsWith("is it an https:// address?")
        ? `If the server uses TLS, write --master k8s://https://${new URL(server).host}.`
        : reason.endsWith("is it an http:// address?")
          ? `If the server does not use TLS, write --master k8s://http://${new URL(server).host}.`
          : `Check the address in --master, the network and the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY; query the same server: kubectl --server ${server} version`,
  }),
  SUBMIT_ERR_KUBE_CERTIFICATE: define<{
    server: string;
    reason: string;
    problem: "name" | "time" | "weak" | "authority";
  }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    text: ({ server, reason }) => `An error has occurred. The certificate of ${server} is not trusted: ${reason}`,
    hint: ({ problem }) => certificateHints[problem],
  }),
  SUBMIT_ERR_KUBE_CLIENT_CERTIFICATE: define<{ server: string; reason: string }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    text: ({ server, reason }) => `An error has occurred. ${server} rejected this client's TLS handshake: ${reason}`,
    hint: () =>
      "Renew the client certificate of the kubeconfig's user, or use another one with spark.kubernetes.authenticate.submission.clientCertFile and clientKeyFile; show its dates and issuer: openssl x509 -noout -dates -issuer -in FILE",
  }),
  SUBMIT_ERR_KUBE_HANDSHAKE: define<{ server: string; reason: string }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    text: ({ server, reason }) => `An error has occurred. The TLS handshake with ${server} failed: ${reason}`,
    hint: ({ server, reason }) =>
      handshakeHints[reason] ??
      `If the server requires a client certificate, set spark.kubernetes.authenticate.submission.clientCertFile and clientKeyFile; show what ${server} accepts: openssl s_client -connect HOST:PORT`,
  }),
  SUBMIT_ERR_KUBE_PROXY_FAILED: define<{
    proxy: string;
    server: string;
    reason: string;
    /** HTTP status of the proxy's response, if there was one. */
    status?: number | undefined;
  }>({
    kind: "unreachable",
    javaClass: exceptionClasses.kubernetes,
    text: ({ proxy, server, reason }) =>
      `An error has occurred. The proxy ${proxy} did not connect to ${server}: ${reason}`,
    hint: ({ status }) =>
      status === 407
        ? "Add credentials to the proxy URL, http://USER:PASSWORD@HOST:PORT, or set PROXY_USERNAME and PROXY_PASSWORD."
        : "Check the variables HTTP_PROXY, HTTPS_PROXY and ALL_PROXY and the kubeconfig's proxy-url; list servers to reach without a proxy in NO_PROXY.",
  }),
  SUBMIT_ERR_KUBE_TIMEOUT: define<{ method: string; path: string; server: string; limitMs: number }>({
    kind: "timeout",
    javaClass: exceptionClasses.kubernetes,
    wording: "spark",
    text: ({ method, path, server, limitMs }) =>
      `The timeout period of ${limitMs}ms has been exceeded while executing ${method} ${path} for server ${server}`,
    hint: () => "Try again, or raise spark.kubernetes.submission.requestTimeout: the API server is slow or overloaded.",
  }),
  SUBMIT_ERR_KUBE_WATCH: define<{ status: number; url: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    javaClass: exceptionClasses.kubernetes,
    text: ({ status, url, reason }) =>
      `Received ${status} on websocket. Failure executing: GET at: ${url}. Message: ${reason}.`,
    hint: () => "Check the driver, which keeps running: firesteel ps, with --master and --context of the submission.",
  }),
  SUBMIT_ERR_KUBE_UNAUTHORIZED: defineRejection(
    ({ server }) =>
      `Renew the token or client certificate of the kubeconfig's user, or check the context with kubectl config view: ${server} does not accept these credentials.`,
  ),
  SUBMIT_ERR_KUBE_FORBIDDEN: defineRejection<
    RejectedCall & { verb: string; resource: string; namespace: string | undefined }
  >(({ verb, resource, namespace, message }) =>
    message.includes("system:anonymous")
      ? "Choose a user with spark.kubernetes.context (kubectl config get-contexts), or set spark.kubernetes.authenticate.submission.oauthToken: the request had no credentials."
      : `Ask for the permission; check it with: kubectl auth can-i ${verb} ${resource}${namespaceOption(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_QUOTA: defineRejection<RejectedCall & { namespace: string | undefined }>(
    ({ namespace }) =>
      `Request less, or set what the quota requires; show what is left: kubectl describe quota${namespaceOption(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_SERVICE_ACCOUNT: defineRejection<RejectedCall & { namespace: string | undefined }>(
    ({ namespace }) =>
      `Create the service account, or set spark.kubernetes.authenticate.driver.serviceAccountName to an existing one: kubectl get serviceaccounts${namespaceOption(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_POD_SECURITY: defineRejection(
    () =>
      "Add what the message requires with pod templates (spark.kubernetes.driver.podTemplateFile and spark.kubernetes.executor.podTemplateFile), or set spark.kubernetes.namespace to a less restricted namespace.",
  ),
  SUBMIT_ERR_KUBE_NAMESPACE_TERMINATING: defineRejection<RejectedCall & { namespace: string | undefined }>(
    ({ namespace = "" }) =>
      `Wait until the namespace ${namespace} is deleted and create it again, or set spark.kubernetes.namespace to another one.`,
  ),
  SUBMIT_ERR_KUBE_ADMISSION: defineRejection(
    () =>
      "Change what the message names, or ask the owner of the admission rule: this is a rule of the cluster, not a missing permission.",
  ),
  SUBMIT_ERR_KUBE_NOT_FOUND: defineRejection<
    RejectedCall & {
      missingNamespace: string | undefined;
      /** For example `podgroups.scheduling.volcano.sh`, for a kind that an extension defines. */
      missingKind: string | undefined;
    }
  >(({ missingNamespace, missingKind, server }) => {
    if (missingNamespace !== undefined)
      return `Create the namespace: kubectl create namespace ${missingNamespace}; or set spark.kubernetes.namespace to another one.`;
    return missingKind === undefined
      ? `Check that ${server} is a Kubernetes API server that serves this kind.`
      : `Install the definition of ${missingKind} (check with kubectl get crd ${missingKind}), or remove the feature step that needs it.`;
  }),
  SUBMIT_ERR_KUBE_CONFLICT: defineRejection<
    RejectedCall & {
      resource: string;
      /** Name of the object that already exists; `undefined` for another conflict. */
      existing: string | undefined;
      namespace: string | undefined;
    }
  >(({ resource, existing, namespace }) =>
    existing === undefined
      ? "Try again: another client changed the object at the same time."
      : `Choose another name, or check the existing object: kubectl get ${resource} ${existing}${namespaceOption(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_TOO_LARGE: defineRejection(
    () =>
      "Move large files out of the configuration directory, or pass them with --files: a ConfigMap or Secret holds at most 1 MiB.",
  ),
  SUBMIT_ERR_KUBE_INVALID: defineRejection(() => "Correct the setting or the pod template that the message names."),
  SUBMIT_ERR_KUBE_REJECTED: defineRejection<RejectedCall & { status: number }>(({ status, server, message }) => {
    if (/HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(message)) {
      return `Write --master k8s://https://${new URL(server).host}: ${server} requires TLS.`;
    }
    if (message.startsWith("previous terminated container"))
      return "The container did not restart: read its log without --previous.";
    return status >= 500 || status === 429
      ? `Try again later, or check the log of the API server: ${server} responded with ${status} to every attempt.`
      : `Check that ${server} is a Kubernetes API server: it responded with the unexpected status ${status}.`;
  }),
  SUBMIT_ERR_KUBE_RESPONSE: define<{ method: string; url: string; reason: string }>({
    kind: "cluster",
    javaClass: exceptionClasses.kubernetes,
    text: ({ method, url, reason }) => `Cannot parse the response to ${method} ${url}: ${reason}`,
    hint: () => "Check that the address in --master is a Kubernetes API server and not a proxy's login page.",
  }),
  SUBMIT_ERR_KUBE_CONFIG: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `Cannot use the kubeconfig ${path}: ${reason}`,
    hint: ({ path }) =>
      `Correct it, or set KUBECONFIG to another file; check it with: kubectl --kubeconfig ${path} config view`,
  }),
  SUBMIT_ERR_KUBE_AUTH_FILE: define<{ path: string; what: string; reason: string }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    text: ({ path, what, reason }) => `An error has occurred. Cannot read the ${what}: ${path} (${reason})`,
    hint: () => "Check that the file exists and that you have read permission.",
  }),
  SUBMIT_ERR_KUBE_AUTH_CONFLICT: define<{ prefix: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ prefix }) =>
      `requirement failed: Cannot specify OAuth token through both a file ${prefix}.oauthTokenFile and a value ${prefix}.oauthToken.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_TOKEN: define<Record<never, never>>({
    kind: "setting",
    text: () => "Invalid bearer token: it contains a line break or another character that HTTP headers do not allow.",
    hint: () => "Write the token file without a newline at the end, e.g. with printf %s.",
  }),
  SUBMIT_ERR_KUBE_CONTEXT: define<{ context: string; missing: string; known: readonly string[] }>({
    kind: "setting",
    text: ({ context, missing }) => `Cannot use the kubeconfig's context ${context}: ${missing}.`,
    hint: ({ known }) => `Set spark.kubernetes.context to one of the existing contexts: ${known.join(", ") || "none"}.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_EXEC: define<{ user: string; command: string; problem: string; advice: string }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    text: ({ user, command, problem }) =>
      `The credential plugin ${command} of the kubeconfig's user ${user} ${problem}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_KUBE_AUTH_PROVIDER: define<{
    user: string;
    provider: string;
    problem: string;
    advice: string;
  }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    text: ({ user, provider, problem }) =>
      `The auth-provider ${provider} of the kubeconfig's user ${user} returned no token: ${problem}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_KUBE_AUTH_PEM: define<{ what: string; reason: string }>({
    kind: "setting",
    javaClass: exceptionClasses.kubernetes,
    text: ({ what, reason }) => `An error has occurred. Cannot use the ${what}: ${reason}`,
    hint: ({ what }) =>
      what === "certificate authority"
        ? "Use a file with certificates in the PEM format, which begin with -----BEGIN CERTIFICATE-----."
        : "Use the PEM format, and a client certificate and client key that belong together.",
  }),
  SUBMIT_ERR_KUBE_AUTH_KEY: define<{ hasPassphrase: boolean }>({
    kind: "setting",
    text: ({ hasPassphrase }) =>
      `Cannot decrypt the client key: ${hasPassphrase ? "the passphrase is wrong" : "no passphrase is set"}.`,
    hint: () =>
      "Set KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE to the passphrase, or use an unencrypted key: openssl pkey -in FILE -out PLAIN",
  }),
  SUBMIT_ERR_KUBE_PROXY: define<{ variable: string }>({
    kind: "setting",
    text: ({ variable }) =>
      `Invalid proxy in ${variable}: it does not have the form http://host:port, https://host:port or socks5://host:port.`,
    hint: ({ variable }) => `Correct or unset ${variable}; list servers to reach without a proxy in NO_PROXY.`,
  }),
  SUBMIT_ERR_MOUNT: define<{ key: string; mount: string; reason: string }>({
    kind: "setting",
    text: ({ key, mount, reason }) => `Invalid mount ${mount} in ${key}: ${reason}.`,
    hint: () =>
      "Write SOURCE:/PATH or SOURCE:/PATH:ro for files of this machine on the embedded cluster, pvc:NAME:/PATH for an existing PersistentVolumeClaim, or s3a://BUCKET:SECRET for the credentials in a Secret.",
  }),
  SUBMIT_ERR_KUBERNETES_ONLY: define<{ key: string; option: string; scope: string; master: string }>({
    kind: "setting",
    text: ({ key, scope, master }) => `${key} has an effect only on ${scope}, not with the master ${master}.`,
    hint: ({ option }) => `Remove ${option}, or submit to Kubernetes with --deploy-mode cluster.`,
  }),
};
