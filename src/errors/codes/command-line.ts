import { didYouMean } from "../did-you-mean.ts";
import { define } from "../error-code-entry.ts";

/**
 * Codes about the arguments of a command line.
 *
 * A module of its own, so that reporting a typo does not load the texts of all other codes.
 */
export const commandLineCodes = {
  SUBMIT_ERR_ARG_UNKNOWN: define<{ option: string; nearest?: string | undefined }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Unrecognized option: ${option}`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Run with --help to list all options.`,
  }),
  SUBMIT_ERR_NOTHING_TO_SUBMIT: define<object>({
    kind: "usage",
    text: () => "These arguments do not describe a submission.",
    hint: () => "Pass the arguments of a spark-submit call: options, then the application.",
  }),
  SUBMIT_ERR_DIFF_ONE_SIDE: define<object>({
    kind: "usage",
    text: () => "There is only one submission to compare.",
    hint: () => "Separate two submissions with --, or put --with-spark-version or --against before the arguments.",
  }),
  SUBMIT_ERR_ARG_VALUE_MISSING: define<{ option: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Missing argument for option '${option}'.`,
  }),
  SUBMIT_ERR_DRIVER_ID_MISSING: define<{ command: string }>({
    kind: "usage",
    text: ({ command }) => `firesteel ${command} requires the ID of a driver.`,
    hint: () =>
      "Pass NAMESPACE:POD, POD, a prefix of the pod name followed by *, or an application ID spark-…; firesteel status lists all drivers.",
  }),
  SUBMIT_ERR_ARG_CONF: define<{ text: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ text }) => `Invalid argument to --conf: ${text}`,
    hint: () => "Write --conf KEY=VALUE.",
  }),
  SUBMIT_ERR_APP_RESOURCE_MISSING: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () => "Missing application resource.",
    hint: () =>
      "Put the application after all options: spark-submit [options] <app jar | python file | R file> [app arguments]",
  }),
  SUBMIT_ERR_PRIMARY_RESOURCE_MISSING: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () => "Must specify a primary resource (JAR or Python or R file)",
  }),
  SUBMIT_ERR_EXAMPLE_CLASS_MISSING: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () => "Missing example class name.",
  }),
  SUBMIT_ERR_PYSPARK_ARGS: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () => "pyspark does not support any application options.",
  }),
  SUBMIT_ERR_PYSPARK_FILE: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () =>
      "Running python applications through 'pyspark' is not supported as of Spark 2.0.\nUse ./bin/spark-submit <python file>",
  }),
  SUBMIT_ERR_SPARKR_FILE: define<Record<never, never>>({
    kind: "usage",
    wording: "spark",
    text: () =>
      "Running R applications through 'sparkR' is not supported as of Spark 2.0.\nUse ./bin/spark-submit <R file>",
  }),
  SUBMIT_ERR_DEPLOY_MODE_OPTION: define<{ nearest?: string | undefined }>({
    kind: "setting",
    wording: "spark",
    text: () => '--deploy-mode must be either "client" or "cluster"',
    hint: ({ nearest }) => `${didYouMean(nearest)}Write --deploy-mode client or --deploy-mode cluster.`,
  }),
  SUBMIT_ERR_DEPLOY_MODE: define<{ nearest?: string | undefined }>({
    kind: "setting",
    wording: "spark",
    text: () => "Deploy mode must be either client or cluster",
    hint: ({ nearest }) => `${didYouMean(nearest)}Set the deploy mode to client or cluster.`,
  }),
  SUBMIT_ERR_ACTIONS_CONFLICT: define<{ first: string; second: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ first, second }) => `Action cannot be both ${first} and ${second}.`,
  }),
  SUBMIT_ERR_MASTER_UNKNOWN: define<{ mesos: boolean; nearest?: string | undefined }>({
    kind: "setting",
    wording: "spark",
    text: ({ mesos }) => `Master must either be yarn or start with spark, ${mesos ? "mesos, " : ""}k8s, or local`,
    hint: ({ nearest }) =>
      `${didYouMean(nearest)}Write k8s://https://HOST:PORT, or k8s://embedded for a cluster on this machine.`,
  }),
  SUBMIT_ERR_MASTER_MISSPELLED: define<{ host: string }>({
    kind: "setting",
    text: ({ host }) => `The master k8s://${host} seems to be misspelled: its host has no domain and no port.`,
    hint: ({ host }) => `Did you mean k8s://embedded? For a host of this name, write k8s://https://${host}.`,
  }),
  SUBMIT_ERR_REMOTE_WITH_MASTER: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    text: () => "Remote cannot be specified with master and/or deploy mode.",
  }),
  SUBMIT_ERR_PROXY_AND_PRINCIPAL: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    text: () => "Only one of --proxy-user or --principal can be provided.",
  }),
  SUBMIT_ERR_PROXY_USER_EMPTY: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    text: () => "Null user",
    hint: () => "Pass a user name to --proxy-user, or omit the option.",
  }),
  SUBMIT_ERR_CLUSTER_MODE: define<{ reason: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ reason }) => `${reason}`,
  }),
  SUBMIT_ERR_CLASS_NOT_LOADED: define<{ className: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ className }) => `Failed to load class ${className}.`,
  }),
  SUBMIT_ERR_COMMAND_UNKNOWN: define<{ command: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: "usage",
    text: ({ command }) => `Unknown command: ${command}`,
    hint: ({ known, nearest }) => `${didYouMean(nearest)}Use one of: ${known.join(", ")}.`,
  }),
  SUBMIT_ERR_ARG_VALUE: define<{ option: string; value: string; allowed: string; nearest?: string | undefined }>({
    kind: "usage",
    text: ({ option, value, allowed }) => `Invalid value '${value}' for ${option}; allowed: ${allowed}.`,
    hint: ({ nearest, option }) => `${didYouMean(nearest)}Pass one of the allowed values to ${option}.`,
  }),
  SUBMIT_ERR_SPARK_VERSION: define<{ text: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ text }) => `Unknown Spark version: ${text}`,
    hint: ({ known }) => `Use a release such as 4.3.0, or a release line: ${known.join(", ")}.`,
  }),
};
