import { context } from "../../conf/entries/submission.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";

/** A driver and its cluster, from the arguments of a command. */
export interface Target<F extends string, V extends string = never> {
  readonly id: string | undefined;
  /** Options for spark-submit's parser. */
  readonly rest: readonly string[];
  readonly has: (flag: F) => boolean;
  /** Returns the last value of an option of the command. */
  readonly value: (name: V) => string | undefined;
}

/** Options of a command, besides those that select a driver. */
interface TargetOptions<F extends string, V extends string> {
  readonly flags?: readonly F[];
  readonly values?: readonly V[];
  /** Options with a value, and the setting key that each sets. */
  readonly settings?: ReadonlyMap<string, string>;
}

/** Help text for the options that select a driver. */
export const targetUsage = `  -n, --namespace NAME    namespace (default: that of the ID, else of the kubeconfig)
  --context NAME          context of the kubeconfig (default: the current context)
  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig,
                          else the embedded one that runs), or spark://HOST:PORT of a standalone master's REST gateway
  --conf, --properties-file and similar options are those of spark-submit

ID is NAMESPACE:POD, POD, a prefix of the pod name followed by *, or an application ID spark-…;
for a standalone master driver-…
`;

const namespaceOptions = ["--namespace", "-n"] as const;

/**
 * Parses the arguments of a command that operates on a driver. The ID can be at any position.
 *
 * @throws SUBMIT_ERR_ARG_UNKNOWN, SUBMIT_ERR_ARG_VALUE_MISSING
 */
export function parseTarget<F extends string = never, V extends string = never>(
  args: readonly string[],
  { flags = [], values = [], settings = new Map() }: TargetOptions<F, V> = {},
): Target<F, V> {
  const keys = new Map([...settings, ["--context", context.key]]);
  const { own, positionals, rest } = parseInterleavedArgs(args, {
    flags,
    values: [...values, ...namespaceOptions, ...keys.keys()],
  });
  const [id, ...others] = positionals;
  throwIssues(others.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const conf = [...keys].flatMap(([option, key]) => {
    const value = own.value(option);
    return value === undefined ? [] : ["--conf", `${key}=${value}`];
  });
  const namespace = own.value("--namespace") ?? own.value("-n");
  return { id: inNamespace(id, namespace), rest: [...rest, ...conf], has: own.has, value: own.value };
}

/** Adds the namespace to an ID without one. */
function inNamespace(id: string | undefined, namespace: string | undefined): string | undefined {
  if (namespace === undefined || id?.includes(":") === true) return id;
  return `${namespace}:${id ?? "*"}`;
}

/** Help text for what else identifies one driver, in commands that change nothing. */
export const driverIdUsage = `It can also be the name of an application, whose newest driver it is, or last: the newest driver of the namespace
`;
