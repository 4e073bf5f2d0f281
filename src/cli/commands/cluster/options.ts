import { type Issue, issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import { parseOptions } from "../../parse-options.ts";
import type { ParsedOptions } from "../../parsed-options.ts";
import { unknownChoice } from "../../unknown-name.ts";

const sandboxes = ["auto", "bwrap", "unshare", "process", "fake"] as const;
const networks = ["pod", "shared"] as const;
const syncs = ["interval", "always", "never"] as const;

/** Options of a background cluster. */
export interface StartOptions {
  readonly name: string;
  readonly apiOnly: boolean;
  readonly sandbox: (typeof sandboxes)[number];
  readonly network: (typeof networks)[number];
  readonly sparkVersion: string | undefined;
  /** Time at which a change must be on disk. */
  readonly sync: (typeof syncs)[number];
  readonly repairs: boolean;
  /** Directories allowed for `hostPath` volumes; empty for the default directories. */
  readonly hostPathRoots: readonly string[];
  /** Whether the total requests of pods can exceed what this machine has. */
  readonly overcommits: boolean;
  /** The shuffle service; `undefined`: none. */
  readonly shuffle: { readonly port: string | undefined; readonly propertiesFile: string | undefined } | undefined;
  readonly json: boolean;
}

/** Parses the options of `cluster start` and of its daemon. @throws SubmitError with all problems */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const flags = parseOptions(args, {
    flags: ["--api-only", "--json", "--no-overcommit", "--repair", "--shuffle-service"],
    values: [
      ...(["--name", "--sandbox", "--network", "--spark-version", "--sync", "--host-path"] as const),
      ...(["--shuffle-port", "--shuffle-properties"] as const),
    ],
    maxPositionals: 0,
  });
  const issues: Issue[] = [];
  function choice<T extends string>(
    option: "--sandbox" | "--network" | "--sync",
    [defaultChoice, ...others]: readonly [T, ...T[]],
  ): T {
    const all = [defaultChoice, ...others];
    const text = flags.value(option) ?? defaultChoice;
    const known = all.find((candidate) => candidate === text);
    if (known === undefined) issues.push(unknownChoice({ option, value: text, choices: all }));
    return known ?? defaultChoice;
  }
  const hostPathRoots = flags.values("--host-path");
  for (const value of hostPathRoots.filter((path) => !path.startsWith("/"))) {
    issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option: "--host-path", value, allowed: "absolute paths" }));
  }
  const options = {
    name: clusterName(flags),
    apiOnly: flags.has("--api-only"),
    sandbox: choice("--sandbox", sandboxes),
    network: choice("--network", networks),
    sparkVersion: flags.value("--spark-version"),
    sync: choice("--sync", syncs),
    repairs: flags.has("--repair"),
    hostPathRoots,
    overcommits: !flags.has("--no-overcommit"),
    shuffle: flags.has("--shuffle-service")
      ? { port: flags.value("--shuffle-port"), propertiesFile: flags.value("--shuffle-properties") }
      : undefined,
    json: flags.has("--json"),
  };
  throwIssues(issues);
  return options;
}

/** Prints the options as arguments that `parseStartOptions` parses. */
export function printStartOptions(options: StartOptions): readonly string[] {
  const { name, apiOnly, sandbox, network, sparkVersion, sync, repairs, hostPathRoots, overcommits, shuffle } = options;
  return [
    ...["--name", name, "--sandbox", sandbox, "--network", network, "--sync", sync],
    ...hostPathRoots.flatMap((path) => ["--host-path", path]),
    ...(repairs ? ["--repair"] : []),
    ...(overcommits ? [] : ["--no-overcommit"]),
    ...(apiOnly ? ["--api-only"] : []),
    ...(sparkVersion === undefined ? [] : ["--spark-version", sparkVersion]),
    ...(shuffle === undefined ? [] : ["--shuffle-service"]),
    ...(shuffle?.port === undefined ? [] : ["--shuffle-port", shuffle.port]),
    ...(shuffle?.propertiesFile === undefined ? [] : ["--shuffle-properties", shuffle.propertiesFile]),
  ];
}

/** Returns the cluster name of `--name`, which is also the name of a directory. */
export function clusterName(flags: Pick<ParsedOptions<never, "--name">, "value">): string {
  const name = flags.value("--name") ?? "default";
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    const allowed = "lowercase letters, digits and hyphens, at most 40";
    throwIssues([issue("SUBMIT_ERR_ARG_VALUE", { option: "--name", value: name, allowed })]);
  }
  return name;
}
