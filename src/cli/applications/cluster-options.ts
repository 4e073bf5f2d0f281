import { issue } from "../../errors/issue.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
import type { CommandLineSettings } from "../../plan/invocation.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import type { ParsedOptions } from "../parsed-options.ts";

/** Options with a value that all commands about files of applications have. */
export const fileValues = [
  ...["-f", "--file", "-n", "--namespace", "--context", "--cluster"],
  ...["--operator-options", "--reserved-keys"],
] as const;

/** Help text of the options that all commands about files of applications have. */
export const fileUsage = `  -f, --file FILE         file with applications, in YAML or JSON; can be repeated
  -n, --namespace NAME    namespace of applications whose file names none (default: default)
  --cluster embedded[/NAME] the embedded cluster, as --master k8s://embedded[/NAME]
  --context NAME          context of the kubeconfig (default: the current context)
  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: that of the file, else of the kubeconfig)
  --operator-options FILE settings of the Spark operator, such as ingressUrlFormat
  --reserved-keys MODE    reject, or warn for keys of sparkConf that the operator rejects (default: reject)
  --profile NAME          profile of firesteel.yaml, over which the file takes precedence
  --conf and similar options are those of spark-submit, and take precedence over the file
`;

/** Parsed arguments of a command about files of applications. */
export interface FileArguments<F extends string> {
  readonly files: readonly string[];
  readonly has: (flag: F) => boolean;
  readonly value: ParsedOptions<string, (typeof fileValues)[number]>["value"];
  readonly namespace: string | undefined;
  /** Options and settings for spark-submit's parser, with those of the cluster. */
  readonly commandLine: CommandLineSettings;
}

/**
 * Parses the arguments of a command about files of applications.
 *
 * @throws SUBMIT_ERR_ARG_…, SUBMIT_ERR_ARGUMENT_MISSING
 */
export function parseFileArguments<F extends string>(
  args: readonly string[],
  { command, flags }: { readonly command: string; readonly flags: readonly F[] },
): FileArguments<F> {
  const { own, positionals, rest } = parseInterleavedArgs(args, { flags, values: fileValues });
  const [positional] = positionals;
  if (positional !== undefined) throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option: positional });
  const files = [...own.values("-f"), ...own.values("--file")];
  if (files.length === 0) {
    const what = { what: "the file of an application", allowed: "a file in YAML or JSON" };
    throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { command, ...what, example: "-f app.yaml" });
  }
  const cluster = own.value("--cluster");
  if (cluster !== undefined && !`${cluster}/`.startsWith("embedded/"))
    throw submitError("SUBMIT_ERR_ARG_VALUE", {
      option: "--cluster",
      value: cluster,
      allowed: "embedded or embedded/NAME; for another cluster, use --master or --context",
    });
  const context = own.value("--context");
  const specified = parseCommandLineSettings(rest).fields.master;
  const others = [...(specified === undefined ? [] : ["--master"]), ...(context === undefined ? [] : ["--context"])];
  if (cluster !== undefined)
    throwIssues(others.map((second) => issue("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first: "--cluster", second })));
  const master = cluster === undefined ? [] : ["--master", `k8s://${cluster}`];
  const commandLine = parseCommandLineSettings([...rest, ...master], { context });
  const namespace = own.value("-n") ?? own.value("--namespace");
  return { files, has: own.has, value: own.value, namespace, commandLine };
}
