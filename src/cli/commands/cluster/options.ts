import { issue } from "../../../errors/issue.ts";
import { submitError, throwIssues } from "../../../errors/submit-error.ts";
import { type Flags, parseFlags } from "../../flags.ts";

const sandboxes = ["auto", "bwrap", "unshare", "process", "fake"] as const;

/** How a background cluster is to run. */
export interface StartOptions {
  readonly name: string;
  readonly apiOnly: boolean;
  readonly sandbox: (typeof sandboxes)[number];
  readonly sparkVersion: string | undefined;
  readonly json: boolean;
}

/** The options of `cluster start` and of the daemon it starts. @throws SubmitError for all that is wrong with them */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const flags = parseFlags(args, {
    flags: ["--api-only", "--json"],
    values: ["--name", "--sandbox", "--spark-version"],
    maxWords: 0,
  });
  const text = flags.value("--sandbox") ?? "auto";
  const sandbox = sandboxes.find((candidate) => candidate === text);
  if (sandbox === undefined) {
    throw submitError("SUBMIT_ERR_ARG_VALUE", {
      option: "--sandbox",
      value: text,
      allowed: sandboxes.join(", "),
    });
  }
  return {
    name: clusterName(flags),
    apiOnly: flags.has("--api-only"),
    sandbox,
    sparkVersion: flags.value("--spark-version"),
    json: flags.has("--json"),
  };
}

/** The words from which `parseStartOptions` reads the same options. */
export function printStartOptions(options: StartOptions): readonly string[] {
  const { name, apiOnly, sandbox, sparkVersion } = options;
  return [
    ...["--name", name, "--sandbox", sandbox],
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
