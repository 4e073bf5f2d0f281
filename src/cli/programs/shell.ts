import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { specifiedOrEmbeddedMaster } from "../default-master.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { selectCommand } from "../select-command.ts";

const shellUsage = `Usage: firesteel shell <command> [options]

Open a shell of Spark with its driver on this machine and its executors in pods. A Python shell requires python3. The
embedded cluster installs Spark and Java if they are missing.

  python  open pyspark
  scala   open spark-shell
  sql     open spark-sql

For the options of a command, run: firesteel shell <command> --help
`;

const sparkOptions = `  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig, else the embedded one)
  --conf, --properties-file and similar options are those of spark-submit
`;

const usages = {
  python: `Usage: firesteel shell python [options]

Open a Python shell, pyspark, with its executors in pods.

Options:
${sparkOptions}`,
  scala: `Usage: firesteel shell scala [options]

Open a Scala shell, spark-shell, with its executors in pods.

Options:
  -I FILE                 file to load line by line before the first prompt
${sparkOptions}`,
  sql: `Usage: firesteel shell sql [options]

Open a SQL shell, spark-sql, with its executors in pods.

Options:
  -e STATEMENTS           statements to run, instead of a shell
  -f FILE                 file with statements to run, instead of a shell
  -i FILE                 file with statements to run before the first prompt
  -d NAME=VALUE           variable for substitution; can be repeated
  --database NAME         database to use
  -S                      no messages, only results
${sparkOptions}`,
} as const;

/** Languages with their programs, and the options of the programs that are not those of spark-submit. */
const languages = {
  python: {
    ...{ flags: [], values: [] },
    run: async (host: Host) => (await import("./pyspark.ts")).runPyspark(host),
  },
  scala: {
    ...{ flags: [], values: ["-I"] },
    run: async (host: Host) => (await import("./spark-shell.ts")).runSparkShell(host),
  },
  sql: {
    ...{ flags: ["-S"], values: ["-e", "-f", "-i", "-d", "--database"] },
    run: async (host: Host) => (await import("./spark-sql.ts")).runSparkSql(host),
  },
} as const;

/** Runs `firesteel shell`. @returns the exit code */
export async function runShellCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "shell", usage: shellUsage, usages });
  if (selected.command === undefined) return selected.exitCode;
  const { flags, values, run }: Language = languages[selected.command];
  const { own, positionals, rest } = parseInterleavedArgs(selected.rest, { flags, values });
  throwIssues(positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const ofProgram = [
    ...flags.filter((flag) => own.has(flag)),
    ...values.flatMap((name) => own.values(name).flatMap((value) => [name, value])),
  ];
  const machine = await withLauncherEnvironment(host);
  const master = await specifiedOrEmbeddedMaster(machine, parseCommandLineSettings(rest));
  return run(overrideHost(host, { argv: ["--master", master, ...rest, ...ofProgram] }));
}

interface Language {
  readonly flags: readonly string[];
  readonly values: readonly string[];
  readonly run: (host: Host) => Promise<number>;
}
