import { didYouMean } from "../did-you-mean.ts";
import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

interface InvalidValue {
  readonly key: string;
  readonly value: string;
  readonly requirement: string;
}

/** Names the setting for the image, and both ways to get one. */
function sparkImageHint({ version }: { readonly version: string }): string {
  const build = `firesteel image build spark-py --spark-version ${version} --tag REPO/spark-py:${version} --push`;
  return `Build an image with \`${build}\`, and pass --conf spark.kubernetes.container.image=REPO/spark-py:${version}. Or pass Apache's: --conf spark.kubernetes.container.image=apache/spark:${version}.`;
}

/** Prints Spark's message about a setting in the form that it has since 4.1. */
function invalidValue(condition: string, { key, value, requirement }: InvalidValue): string {
  return `[INVALID_CONF_VALUE.${condition}] The value '${value}' in the config "${key}" is invalid. ${requirement} SQLSTATE: 22022`;
}

/** Codes about Spark settings and the files that hold them. */
export const settingCodes = {
  SUBMIT_ERR_PROPERTIES_FILE: define<{ path: string; nearest?: string | undefined }>({
    kind: "usage",
    wording: "spark",
    text: ({ path }) => `Invalid properties file '${path}'.`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Pass a regular, readable file on this machine.`,
  }),
  SUBMIT_ERR_PROPERTIES_ESCAPE: define<{ path: string }>({
    kind: "usage",
    wording: "spark",
    text: () => "Malformed \\uxxxx encoding.",
    hint: ({ path }) => `In ${path}, write four hexadecimal digits after \\u; write a backslash itself as \\\\.`,
  }),
  SUBMIT_ERR_HEAP_OPTION: define<{ options: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ options }) =>
      `Not allowed to specify max heap(Xmx) memory settings through java options (was ${options}). Use the corresponding --driver-memory or spark.driver.memory configuration instead.`,
  }),
  SUBMIT_ERR_OPTION_STRING: define<{ text: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ text }) => `Invalid option string: ${text}`,
    hint: () => "Close the quote, or remove the backslash at the end.",
  }),
  SUBMIT_ERR_NOT_POSITIVE: define<{ what: string; key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ what }) => `${what} must be a positive number`,
    hint: ({ what, key, value }) =>
      `Change ${key} from "${value}" to ${/memory/i.test(what) ? "an amount such as 512m or 2g" : "a number such as 2"}.`,
  }),
  SUBMIT_ERR_CONF_FILE: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `Cannot read the file ${path} of the configuration directory: ${reason}.`,
    hint: () => "Make the file readable, or set SPARK_CONF_DIR to another directory.",
  }),
  SUBMIT_ERR_HADOOP_CONF_DIR: define<{ master: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ master }) =>
      `When running with master '${master}' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.`,
  }),
  SUBMIT_ERR_NO_OPERATIONS: define<{ master: string; nearest?: string | undefined }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ master }) => `No external SparkSubmitOperations clients found for master url: '${master}'`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Use a Kubernetes master, e.g. --master k8s://https://host:6443`,
  }),
  SUBMIT_ERR_MASTER_MISSING: define<Record<never, never>>({
    kind: "setting",
    text: () => "No master is specified, and no kubeconfig names a cluster.",
    hint: () =>
      "Pass --master k8s://https://HOST:PORT, or --master k8s://embedded for the cluster of `firesteel cluster start`, or set KUBECONFIG to a kubeconfig.",
  }),
  SUBMIT_ERR_MASTER_NOT_SERVED: define<{ master: string; mode: string }>({
    kind: "setting",
    text: ({ master, mode }) =>
      `Master ${master} in ${mode} mode is not supported here: without a JVM, only Kubernetes in cluster mode is.`,
    hint: () =>
      "Use a Kubernetes API server: --master k8s://https://HOST:PORT --deploy-mode cluster; or --master k8s://embedded for a cluster on this machine.",
  }),
  SUBMIT_ERR_MASTER_PREFIX: define<{ nearest?: string | undefined }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () => "requirement failed: Kubernetes master URL must start with k8s://.",
    hint: ({ nearest }) =>
      `${didYouMean(nearest)}Write k8s://https://HOST:PORT, or k8s://embedded for a cluster on this machine.`,
  }),
  SUBMIT_ERR_MASTER_SCHEME: define<{ scheme: string; url: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ scheme, url }) => `Invalid Kubernetes master scheme: ${scheme} found in URL: ${url}`,
  }),
  SUBMIT_ERR_MASTER_URL: define<{ url: string; reason: string }>({
    kind: "setting",
    javaClass: exceptionClasses.uriSyntax,
    text: ({ url, reason }) => `${reason}: ${url}`,
    hint: () => "Write the master as k8s://https://HOST:PORT.",
  }),
  SUBMIT_ERR_SETTING_UNKNOWN: define<{ key: string; origin: string; nearest: readonly string[] }>({
    kind: "setting",
    text: ({ key, origin }) => `Unknown setting ${key} (${origin}).`,
    hint: ({ nearest }) =>
      nearest.length === 0
        ? "See docs/configuration.md for Firesteel's settings."
        : `Did you mean ${nearest.join(" or ")}?`,
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
    javaClass: exceptionClasses.illegalArgument,
    text: ({ key, value, type, reason, condition }) =>
      condition
        ? invalidValue("TYPE_MISMATCH", { key, value, requirement: `It should be a/an '${type}' value.` })
        : (reason ?? `${key} should be ${type}, but was ${value}`),
  }),
  SUBMIT_ERR_SETTING_VALUE: define<{ key: string; value: string; requirement: string; condition: boolean }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ key, value, requirement, condition }) =>
      condition
        ? invalidValue("REQUIREMENT", { key, value, requirement })
        : `'${value}' in ${key} is invalid. ${requirement}`,
  }),
  SUBMIT_ERR_SETTING_CHOICE: define<{
    key: string;
    value: string;
    choices: string;
    nearest?: string | undefined;
    condition: boolean;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ key, value, choices, condition }) =>
      condition
        ? invalidValue("OUT_OF_RANGE_OF_OPTIONS", {
            key,
            value,
            requirement: `It should be one of '${choices}'.`,
          })
        : `The value of ${key} should be one of ${choices}, but was ${value}`,
    hint: ({ key, choices, nearest }) => `${didYouMean(nearest)}Set ${key} to one of: ${choices}.`,
  }),
  SUBMIT_ERR_SETTING_RAW_INTEGER: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ key, value }) => `Illegal value for config key ${key}: For input string: "${value}"`,
  }),
  SUBMIT_ERR_SETTING_CIRCULAR: define<{ text: string; reference: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ text, reference }) => `requirement failed: Circular reference in ${text}: ${reference}`,
  }),
  SUBMIT_ERR_SETTING_EXPANSION: define<{ reference: string }>({
    kind: "setting",
    text: ({ reference }) =>
      `The references of a setting expand to more than 1 MiB, or are nested more than 200 deep, at "${reference}".`,
    hint: () => "Use fewer references of the form ${key} in the values of settings.",
  }),
  SUBMIT_ERR_SETTING_LABEL: define<{ key: string; what: string; part: "name" | "value"; value: string }>({
    kind: "setting",
    text: ({ key, what, part, value }) => `Invalid ${what} ${part} in ${key}: "${value}".`,
    hint: ({ part }) =>
      `Use letters, digits, -, _ and dots, with a letter or a digit at both ends, and at most 63 characters${part === "name" ? "; a domain and a slash can precede the name, e.g. example.com/team" : ""}.`,
  }),
  SUBMIT_ERR_SETTING_NAME: define<{ key: string; value: string; what: "namespace" | "pod" | "volume" }>({
    kind: "setting",
    text: ({ key, value, what }) => `Invalid ${what} name in ${key}: "${value}".`,
    hint: ({ what }) =>
      `Use a-z, 0-9 and -${what === "pod" ? ", in parts separated by dots" : ""}, with a letter or a digit at both ends, and at most ${what === "pod" ? 253 : 63} characters.`,
  }),
  SUBMIT_ERR_SETTING_AMOUNT: define<{ key: string; value: string }>({
    kind: "setting",
    text: ({ key, value }) => `Invalid amount in ${key}: "${value}".`,
    hint: () => "Use a Kubernetes quantity of 0 or more, such as 2, 0.5 or 500m.",
  }),
  SUBMIT_ERR_QUANTITY: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () => "Invalid quantity string format passed.",
    hint: ({ key, value }) => `Change ${key} from "${value}" to a quantity such as 2, 0.5 or 500m.`,
  }),
  SUBMIT_ERR_VOLUME_TYPE: define<{ type: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ type }) => `Kubernetes Volume type \`${type}\` is not supported`,
    hint: () => "Use hostPath, emptyDir, nfs or persistentVolumeClaim.",
  }),
  SUBMIT_ERR_VOLUME_MOUNT_PATH_MISSING: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.noSuchElement,
    text: ({ key }) => `key not found: ${key}`,
  }),
  SUBMIT_ERR_VOLUME_OPTION_MISSING: define<{ key: string; type: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.noSuchElement,
    text: ({ key, type }) => `${key} is required for ${type}`,
  }),
  SUBMIT_ERR_VOLUME_INPUT: define<{ key: string; value: string; allowed: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ value }) => `For input string: "${value}"`,
    hint: ({ key, allowed }) => `Set ${key} to ${allowed}.`,
  }),
  SUBMIT_ERR_VOLUME_SUB_PATHS: define<{ keys: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ keys }) => `These config options are mutually exclusive: ${keys.join(", ")}`,
  }),
  SUBMIT_ERR_VOLUME_SIZE_WITHOUT_UNIT: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ value }) => `Volume size \`${value}\` is smaller than 1KiB. Missing units?`,
    hint: ({ key, value }) => `Write ${key}=${value}Gi for gibibytes.`,
  }),
  SUBMIT_ERR_MOUNT_PATH_DUPLICATE: define<{ paths: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ paths }) =>
      `requirement failed: Found duplicated mountPath: ${paths.map((path) => `'${path}'`).join(", ")}`,
  }),
  SUBMIT_ERR_LABEL_RESERVED: define<{ label: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ label }) =>
      `requirement failed: Label with key ${label} is not allowed as it is reserved for Spark bookkeeping operations.`,
  }),
  SUBMIT_ERR_IMAGE_MISSING: define<{ version: string }>({
    kind: "setting",
    wording: "spark",
    text: () => "Must specify the driver container image",
    hint: sparkImageHint,
  }),
  SUBMIT_ERR_EXECUTOR_IMAGE_MISSING: define<{ version: string }>({
    kind: "setting",
    wording: "spark",
    text: () => "Must specify the executor container image",
    hint: sparkImageHint,
  }),
  SUBMIT_ERR_EXECUTOR_CPU_LIMIT: define<{ request: string; limit: string; requestKey: string; limitKey: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ request, limit }) =>
      `The executor cpu request (${request}) should be less than or equal to cpu limit (${limit})`,
    hint: ({ request, requestKey, limitKey }) => `Set ${limitKey} to ${request} or more, or lower ${requestKey}.`,
  }),
  SUBMIT_ERR_DRIVER_ADDRESS: define<{ key: string; reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ key, reason }) => `requirement failed: ${key} is not supported in Kubernetes mode, as ${reason}.`,
  }),
  SUBMIT_ERR_DRIVER_RESOURCE: define<{ text: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ text }) => text,
  }),
  SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT: define<{ name: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.NumberFormatException",
    text: ({ value }) => `For input string: "${value}"`,
    hint: ({ name }) => `Set the amount of the driver's resource ${name} to a whole number.`,
  }),
  SUBMIT_ERR_SECRET_KEY_REF: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () => "requirement failed: SecretKeyRef must be in the form name:key.",
    hint: ({ key }) => `Set ${key} to the name of a Secret and a key in it, e.g. db-login:password.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_JAVA: define<{ key: string; className: string }>({
    kind: "setting",
    text: ({ key, className }) => `The Java class ${className} in ${key} cannot run: Firesteel has no JVM.`,
    hint: ({ key }) =>
      `Remove ${key}. Replace the class with a pod template, or with a JavaScript step in spark.firesteel.featureSteps.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_BUILT_IN: define<{ key: string; className: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.NoSuchMethodException",
    text: ({ className }) => `${className}.<init>()`,
    hint: ({ key }) => `Remove Spark's own steps from ${key}: they always run.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_MODULE: define<{ key: string; module: string; reason: string }>({
    kind: "setting",
    text: ({ key, module, reason }) => `Cannot load the module ${module} of ${key}: ${reason}`,
    hint: () => "Use a path or a package name that Node resolves from the working directory.",
  }),
  SUBMIT_ERR_FEATURE_STEP_SHAPE: define<{ module: string }>({
    kind: "setting",
    text: ({ module }) => `The module ${module} exports no feature step.`,
    hint: () =>
      "Export, as default or as `step`, a function that returns what to add, or an object with `contribute`, `transform` or `pushUrl`; see docs/feature-steps.md.",
  }),
  SUBMIT_ERR_FEATURE_STEP_THROWN: define<{ step: string; method: string; reason: string }>({
    kind: "setting",
    text: ({ step, method, reason }) => `The feature step ${step} failed in ${method}: ${reason}`,
  }),
  SUBMIT_ERR_FEATURE_STEP_RESULT: define<{ step: string; method: string; reason: string }>({
    kind: "setting",
    text: ({ step, method, reason }) =>
      `The feature step ${step} returned an invalid result from ${method}: ${reason}.`,
    hint: () => "Return what docs/feature-steps.md describes.",
  }),
  SUBMIT_ERR_STEP_CONFLICT: define<{ what: string; first: string; second: string }>({
    kind: "internal",
    text: ({ what, first, second }) => `The steps ${first} and ${second} both set ${what}.`,
    hint: () => "If one of the steps is yours, change the value in its `transform` instead.",
  }),
  SUBMIT_ERR_CREDENTIAL_FILE: define<{ what: string; path: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ what, path }) => `requirement failed: ${what} provided at ${path} does not exist or is not a file.`,
  }),
  SUBMIT_ERR_HADOOP_CONF_CONFLICT: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () =>
      "requirement failed: Do not specify both the `HADOOP_CONF_DIR` in your ENV and the ConfigMap as the creation of an additional ConfigMap, when one is already specified is extraneous",
    hint: ({ key }) => `Unset the variable HADOOP_CONF_DIR, or remove ${key}.`,
  }),
  SUBMIT_ERR_HADOOP_CONF_SIZE: define<{ path: string; sizeBytes: number; largest: string }>({
    kind: "environment",
    text: ({ path, sizeBytes }) =>
      `The files of HADOOP_CONF_DIR, ${path}, have ${sizeBytes} bytes in total, but a ConfigMap holds at most 1048576.`,
    hint: ({ largest }) => `Use a directory with only the files that the driver needs. The largest file is ${largest}.`,
  }),
  SUBMIT_ERR_KRB5_CONFLICT: define<{ keys: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () =>
      "requirement failed: Do not specify both a Krb5 local file and the ConfigMap as the creation of an additional ConfigMap, when one is already specified, is extraneous",
    hint: ({ keys }) => `Remove one of ${keys.join(", ")}.`,
  }),
  SUBMIT_ERR_KERBEROS_INCOMPLETE: define<{
    specified: string;
    missing: string;
    specifiedKey: string;
    missingKey: string;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ specified, missing }) =>
      `requirement failed: If ${specified} is specified you must also specify ${missing}`,
    hint: ({ specifiedKey, missingKey }) => `Set ${missingKey}, too, or remove ${specifiedKey}.`,
  }),
};
