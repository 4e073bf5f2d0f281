/**
 * Chunks of the programs, in priority order.
 *
 * A chunk contains its `files` and everything that they import statically, unless an earlier chunk contains it. The bundler adds a chunk
 * for each other `import()` in the sources, and for what several of these share.
 *
 * `onDemand` files serve synchronous code that only some submissions run, so it cannot use `import()`: the first call of one of their
 * functions loads the chunk. Other modules can import only functions from them. Decision 0030 explains when a file belongs here.
 */
export const chunks = {
  /** The command line and the host, for all programs. */
  base: {
    files: ["src/cli/commands/submit.ts", "src/host/node-host.ts", "src/host/override-host.ts"],
  },
  /** The settings and the checks that reject a submission. */
  resolution: {
    files: ["src/masters/submit-invocation.ts"],
    onDemand: ["src/plan/submit-fields.ts", "src/resolve/version-settings.ts"],
  },
  /** The plan, the manifests and the Kubernetes client. */
  submission: {
    files: ["src/masters/kubernetes/kubernetes-master.ts", "src/kube-client/connect.ts", "src/kube-client/http.ts"],
  },
  /** Messages of the command line, without the other error codes. */
  "usage-errors": {
    files: ["src/errors/codes/command-line.ts"],
    onDemand: [
      "src/errors/find-entry.ts",
      "src/cli/print.ts",
      "src/command-line/unknown-option.ts",
      "src/conf/edit-distance.ts",
      "src/conf/nearest-name.ts",
      "src/plan/nearest-master.ts",
      "src/resolve/shell-issues.ts",
    ],
  },
  /** Small modules without imports, and small ones that parse options, which most commands of `firesteel` share. */
  common: {
    files: [
      "src/cli/applications/print-warnings.ts",
      "src/cli/applications/starts-with-file.ts",
      "src/cli/dry/print-leaf.ts",
      "src/cli/dry/split-leading-options.ts",
      "src/cli/is-help-request.ts",
      "src/cli/parse-interleaved-args.ts",
      "src/cli/parse-options.ts",
      "src/cli/parse-port.ts",
      "src/cli/print-table.ts",
      "src/cli/redraw.ts",
      "src/cli/until-interrupt.ts",
      "src/errors/as-sentence.ts",
      "src/host/cache-directory.ts",
      "src/host/clusters-directory.ts",
      "src/host/quote-for-shell.ts",
      "src/host/remove-tree.ts",
      "src/host/replace-file.ts",
      "src/host/run-command.ts",
      "src/host/state-directory.ts",
      "src/kube/pod-phase.ts",
      "src/kube/taints.ts",
      "src/masters/print-span.ts",
      "src/net/backoff.ts",
      "src/net/limiter.ts",
      "src/net/tls-failure.ts",
      "src/plan/java-module-options.ts",
      "src/plan/uploads-annotation.ts",
      "src/spark-application/translate/field-settings.ts",
      "src/values/archive-location.ts",
      "src/values/instant.ts",
      "src/values/percent-decoding.ts",
      "src/values/staged-entry.ts",
    ],
  },
  /** Settings that several chunks read, and quantities. */
  topics: {
    files: [
      "src/conf/entries/allocation.ts",
      "src/conf/entries/bucket.ts",
      "src/conf/entries/named.ts",
      "src/conf/entries/packages.ts",
      "src/conf/entries/pushing.ts",
      "src/conf/entries/python-env.ts",
      "src/conf/entries/python-version.ts",
      "src/conf/entries/rest-server.ts",
      "src/conf/entries/shuffle-profile.ts",
      "src/conf/entries/shuffle.ts",
      "src/conf/entries/standalone.ts",
      "src/conf/entries/uploading.ts",
      "src/conf/entries/yarn.ts",
      "src/values/quantity.ts",
      "src/values/redact-arguments.ts",
    ],
  },
  /** All error codes with their texts. */
  errors: {
    files: [],
    onDemand: [
      "src/errors/codes.ts",
      "src/kube/status.ts",
      "src/net/proxy/proxy-failure.ts",
      "src/kube-client/network-error.ts",
      "src/resolve/nearest-file.ts",
      "src/masters/print-cluster-options.ts",
    ],
  },
  /** Spark's own behavior, for FIRESTEEL_STRICT. */
  strict: {
    onDemand: ["src/cli/print-launcher-error.ts", "src/resolve/delegate-to-local-spark.ts"],
  },
  /** Watches and reads of the Kubernetes API, and what follows a rejected object. */
  watch: {
    files: [],
    onDemand: [
      "src/masters/kubernetes/create/rejected-creation.ts",
      "src/values/is-archive-location.ts",
      "src/masters/kubernetes/create/undo-creations.ts",
      "src/kube-client/list.ts",
      "src/kube-client/pod-calls.ts",
      "src/kube-client/require-object.ts",
      "src/kube-client/stream.ts",
      "src/kube-client/watch.ts",
    ],
  },
  /** Pod templates. */
  templates: { files: ["src/plan/template-scalars.ts", "src/resolve/parse-template.ts"] },
  /** Globs, pod templates that are files, manifests and classes of jars. */
  files: {
    files: [],
    onDemand: [
      "src/resolve/expand-globs.ts",
      "src/resolve/jar-manifest.ts",
      "src/resolve/main-class-log.ts",
      "src/resolve/read-pod-group-template.ts",
      "src/resolve/read-template.ts",
      "src/plan/pod-template.ts",
      "src/host/progress.ts",
    ],
  },
  /** Feature steps and uploads that a plain submission does not use. */
  features: {
    files: [],
    onDemand: [
      "src/conf/parse-volume-specs.ts",
      "src/features/embedded-credentials.ts",
      "src/features/hadoop-config-map.ts",
      "src/features/kerberos-access.ts",
      "src/features/localized-dependencies.ts",
      "src/features/mounted-template.ts",
      "src/features/mounted-volumes.ts",
      "src/features/pod-group.ts",
      "src/features/python-version.ts",
      "src/plan/custom-limits.ts",
      "src/plan/feature-step-issues.ts",
      "src/plan/local-dependencies.ts",
      "src/plan/localized-dependencies.ts",
      "src/plan/localized-entries.ts",
      "src/plan/remote-files.ts",
      "src/plan/staging.ts",
      "src/plan/uploads.ts",
      "src/resolve/read-hadoop.ts",
    ],
  },
  /** Regular expressions of custom resource definitions, which few clusters have. */
  patterns: { onDemand: ["src/local-cluster/api/structural/patterns.ts"] },
  /** The complete table of settings, for keys that few submissions set. */
  settings: {
    files: [],
    onDemand: [
      "src/conf/entries/deprecated-keys.ts",
      "src/conf/entries/topics.ts",
      "src/conf/nearest-keys.ts",
      "src/plan/ignored-settings.ts",
      "src/plan/shuffle-profile.ts",
      "src/resolve/adjust-settings.ts",
    ],
  },
  /** Proxies, impersonation, user steps, and other rare options. */
  rare: {
    onDemand: [
      "src/net/proxy/proxy-url.ts",
      "src/net/proxy/tunnel.ts",
      "src/host/node-child-process.ts",
      "src/kube-client/auth/impersonation.ts",
      "src/kube-client/delete-object.ts",
      "src/kube-client/raw-target.ts",
      "src/masters/kubernetes/print-prepared.ts",
      "src/plan/master-problem.ts",
      "src/resolve/run-spark-env.ts",
      "src/resolve/verbose.ts",
      "src/spec/user-steps/run-user-step.ts",
      "src/spec/user-steps/user-step.ts",
      "src/values/token-storage.ts",
    ],
  },
  /** Reads of a driver: its state, its events and its objects. */
  driver: {
    files: [
      "src/masters/kubernetes/applications/application-summary.ts",
      "src/masters/kubernetes/diagnose/driver-properties.ts",
      "src/masters/kubernetes/diagnose/informer.ts",
      "src/masters/kubernetes/diagnose/referenced-objects.ts",
      "src/masters/kubernetes/watch/latest-pod.ts",
      "src/masters/without-driver-fields.ts",
    ],
  },
  /** Shared by commands for a cluster or a driver: options, the connection, the search for the driver. */
  "cluster-commands": {
    files: [
      "src/cli/commands/operation-target.ts",
      "src/cli/commands/with-target-driver.ts",
      "src/cli/with-cluster.ts",
      "src/masters/kubernetes/with-driver.ts",
    ],
  },
  /** Commands with subcommands, and options with choices. */
  choices: { files: ["src/cli/select-command.ts"] },
  /** Files of applications. */
  "application-files": {
    files: [
      "src/cli/applications/cluster-options.ts",
      "src/cli/applications/load-files.ts",
      "src/cli/applications/split-dry-arguments.ts",
      "src/cli/profiles/with-profile.ts",
    ],
  },
  /** Submissions that are only planned, and their fields. */
  dry: {
    files: [
      "src/cli/dry/choose-objects.ts",
      "src/cli/dry/dry-application.ts",
      "src/cli/dry/dry-submission.ts",
      "src/explain/redact-field.ts",
      "src/explain/fields.ts",
      "src/masters/kubernetes/render-submission.ts",
    ],
  },
  /** Differences between two submissions, and between one and a driver. */
  differences: {
    files: ["src/cli/dry/live-driver.ts", "src/cli/dry/print-changes.ts", "src/explain/difference.ts"],
  },
};
