import { context } from "../../conf/entries/submission.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";

/** Which driver somebody means, and where: words of ours, put into those of spark-submit. */
export interface Target<F extends string> {
  readonly id: string | undefined;
  /** For spark-submit's grammar. */
  readonly rest: readonly string[];
  readonly has: (flag: F) => boolean;
}

/** The options of a command, besides those that name a driver. */
export interface TargetOptions<F extends string> {
  readonly flags?: readonly F[];
  /** With the keys of the settings that they are. */
  readonly settings?: ReadonlyMap<string, string>;
}

/** What help says about it, at the end of the options. */
export const targetUsage = `  --namespace NAME        the namespace (default: that of the id, else of the kubeconfig)
  --context NAME          the context of the kubeconfig (default: the current one)
  --master URL            k8s://https://host:port, or k8s://embedded (default: the cluster of the kubeconfig);
                          spark://host:port of a standalone master's REST gateway
  --conf, --properties-file and the like mean what they mean to spark-submit

ID is NAMESPACE:POD, POD, the beginning of a pod's name and *, or an application's id spark-…;
of a standalone master driver-…
`;

const namespaceOptions = ["--namespace", "-n"] as const;

/**
 * Takes the id, wherever it stands, and our own options from the words of a command.
 *
 * @throws SUBMIT_ERR_ARG_UNKNOWN, SUBMIT_ERR_ARG_VALUE_MISSING
 */
export function parseTarget<F extends string = never>(
  args: readonly string[],
  { flags = [], settings = new Map() }: TargetOptions<F> = {},
): Target<F> {
  const keys = new Map([...settings, ["--context", context.key]]);
  const { own, plain, rest } = parseInterleavedArgs(args, {
    flags,
    values: [...namespaceOptions, ...keys.keys()],
  });
  const [id, ...others] = plain;
  throwIssues(others.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const told = [...keys].flatMap(([option, key]) => {
    const value = own.value(option);
    return value === undefined ? [] : ["--conf", `${key}=${value}`];
  });
  const namespace = own.value("--namespace") ?? own.value("-n");
  return { id: inNamespace(id, namespace), rest: [...rest, ...told], has: own.has };
}

/** An id that names its namespace keeps it. */
function inNamespace(id: string | undefined, namespace: string | undefined): string | undefined {
  if (namespace === undefined || id?.includes(":") === true) return id;
  return `${namespace}:${id ?? "*"}`;
}
