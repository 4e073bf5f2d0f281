import { type Issue, issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import { type Flags, parseOptions } from "../../parse-options.ts";

const sandboxes = ["auto", "bwrap", "unshare", "process", "fake"] as const;
const syncs = ["interval", "always", "never"] as const;

/** How a background cluster is to run. */
export interface StartOptions {
  readonly name: string;
  readonly apiOnly: boolean;
  readonly sandbox: (typeof sandboxes)[number];
  readonly sparkVersion: string | undefined;
  /** When the disk has to have a change. */
  readonly sync: (typeof syncs)[number];
  readonly repairs: boolean;
  /** Folders that `hostPath` volumes may show; empty: the usual ones. */
  readonly hostPathRoots: readonly string[];
  /** Whether pods together may ask for more than this machine has. */
  readonly overcommits: boolean;
  readonly json: boolean;
}

/** The options of `cluster start` and of the daemon it starts. @throws SubmitError for all that is wrong with them */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const flags = parseOptions(args, {
    flags: ["--api-only", "--json", "--no-overcommit", "--repair"],
    values: ["--name", "--sandbox", "--spark-version", "--sync", "--host-path"],
    maxPositionals: 0,
  });
  const issues: Issue[] = [];
  function chosen<T extends string>(
    option: "--sandbox" | "--sync",
    [usual, ...others]: readonly [T, ...T[]],
  ): T {
    const all = [usual, ...others];
    const text = flags.value(option) ?? usual;
    const known = all.find((candidate) => candidate === text);
    if (known === undefined)
      issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option, value: text, allowed: all.join(", ") }));
    return known ?? usual;
  }
  const hostPathRoots = flags.values("--host-path");
  for (const value of hostPathRoots.filter((path) => !path.startsWith("/"))) {
    issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option: "--host-path", value, allowed: "absolute paths" }));
  }
  const options = {
    name: clusterName(flags),
    apiOnly: flags.has("--api-only"),
    sandbox: chosen("--sandbox", sandboxes),
    sparkVersion: flags.value("--spark-version"),
    sync: chosen("--sync", syncs),
    repairs: flags.has("--repair"),
    hostPathRoots,
    overcommits: !flags.has("--no-overcommit"),
    json: flags.has("--json"),
  };
  throwIssues(issues);
  return options;
}

/** The words from which `parseStartOptions` reads the same options. */
export function printStartOptions(options: StartOptions): readonly string[] {
  const { name, apiOnly, sandbox, sparkVersion, sync, repairs, hostPathRoots, overcommits } = options;
  return [
    ...["--name", name, "--sandbox", sandbox, "--sync", sync],
    ...hostPathRoots.flatMap((path) => ["--host-path", path]),
    ...(repairs ? ["--repair"] : []),
    ...(overcommits ? [] : ["--no-overcommit"]),
    ...(apiOnly ? ["--api-only"] : []),
    ...(sparkVersion === undefined ? [] : ["--spark-version", sparkVersion]),
  ];
}

/** The cluster that `--name` names. It becomes a folder's name. */
export function clusterName(flags: Pick<Flags<never, "--name">, "value">): string {
  const name = flags.value("--name") ?? "default";
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    const allowed = "lower-case letters, digits and dashes, at most 40";
    throwIssues([issue("SUBMIT_ERR_ARG_VALUE", { option: "--name", value: name, allowed })]);
  }
  return name;
}
