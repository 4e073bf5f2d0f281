import type { Host } from "../host/host.ts";
import { overrideHost } from "../host/override-host.ts";
import { runSparkSubmit } from "./commands/submit.ts";
import { exitCodeOfError } from "./exit-codes.ts";
import { printError } from "./print.ts";

/** A command of `firesteel`. */
interface Command {
  /** Verb phrase for the help text. */
  readonly summary: string;
  /** Loads the command's module and runs it. @returns the exit code */
  readonly run: (host: Host, args: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  submit: {
    summary: "submit an application, as spark-submit does",
    run: (host, args) => runSparkSubmit(overrideHost(host, { argv: args }), undefined, host.stdout),
  },
  render: {
    summary: "print the objects that a submission would create",
    run: async (host, args) => (await import("./commands/render.ts")).runRenderCommand(host, args),
  },
  explain: {
    summary: "print which settings determine each field of these objects",
    run: async (host, args) => (await import("./commands/explain.ts")).runExplainCommand(host, args),
  },
  diff: {
    summary: "compare two submissions, or a submission with a running driver",
    run: async (host, args) => (await import("./commands/diff.ts")).runDiffCommand(host, args),
  },
  apply: {
    summary: "submit the applications of a file",
    run: async (host, args) => (await import("./commands/apply.ts")).runApplyCommand(host, args),
  },
  delete: {
    summary: "delete the applications of a file",
    run: async (host, args) => (await import("./commands/delete.ts")).runDeleteCommand(host, args),
  },
  convert: {
    summary: "convert an application between a command line and files",
    run: async (host, args) => (await import("./commands/convert.ts")).runConvertCommand(host, args),
  },
  schedule: {
    summary: "print when a ScheduledSparkApplication runs",
    run: async (host, args) => (await import("./commands/schedule.ts")).runScheduleCommand(host, args),
  },
  doctor: {
    summary: "check what would go wrong with a submission",
    run: async (host, args) => (await import("./commands/doctor.ts")).runDoctorCommand(host, args),
  },
  ps: {
    summary: "list applications",
    run: async (host, args) => (await import("./commands/ps.ts")).runPsCommand(host, args),
  },
  logs: {
    summary: "print the logs of a driver and its executors",
    run: async (host, args) => (await import("./commands/logs.ts")).runLogsCommand(host, args),
  },
  events: {
    summary: "print the events of an application",
    run: async (host, args) => (await import("./commands/events.ts")).runEventsCommand(host, args),
  },
  ui: {
    summary: "forward the port of a driver's UI",
    run: async (host, args) => (await import("./commands/ui.ts")).runUiCommand(host, args),
  },
  connect: {
    summary: "run Spark Connect servers as driver pods",
    run: async (host, args) => (await import("./commands/connect.ts")).runConnectCommand(host, args),
  },
  shell: {
    summary: "open a Python, Scala or SQL shell on a cluster",
    run: async (host, args) => (await import("./programs/shell.ts")).runShellCommand(host, args),
  },
  top: {
    summary: "show the stages, tasks, executors and memory of an application",
    run: async (host, args) => (await import("./commands/top.ts")).runTopCommand(host, args),
  },
  attach: {
    summary: "wait for an existing driver",
    run: async (host, args) => (await import("./commands/attach.ts")).runAttachCommand(host, args),
  },
  status: {
    summary: "print the status of drivers",
    run: async (host, args) => (await import("./commands/operation.ts")).runOperationCommand("status", host, args),
  },
  kill: {
    summary: "delete drivers",
    run: async (host, args) => (await import("./commands/operation.ts")).runOperationCommand("kill", host, args),
  },
  diagnose: {
    summary: "find out why a driver does not start, failed or hangs",
    run: async (host, args) => (await import("./commands/diagnose.ts")).runDiagnoseCommand(host, args),
  },
  bundle: {
    summary: "save the logs, events, pods and diagnosis of an application in a file",
    run: async (host, args) => (await import("./commands/bundle.ts")).runBundleCommand(host, args),
  },
  history: {
    summary: "serve Spark's history server over event logs",
    run: async (host, args) => (await import("./commands/history.ts")).runHistoryCommand(host, args),
  },
  standalone: {
    summary: "check a standalone master, kill its drivers, clear finished ones",
    run: async (host, args) => (await import("./commands/standalone.ts")).runStandaloneCommand(host, args),
  },
  sweep: {
    summary: "delete objects and files that killed submissions did not clean up",
    run: async (host, args) => (await import("./commands/sweep.ts")).runSweepCommand(host, args),
  },
  cluster: {
    summary: "start, stop and inspect a Kubernetes cluster on this machine",
    run: async (host, args) => (await import("./commands/cluster.ts")).runClusterCommand(host, args),
  },
  "staging-server": {
    summary: "store the files of submissions for their pods",
    run: async (host, args) => (await import("./commands/staging-server.ts")).runStagingServerCommand(host, args),
  },
  "shuffle-service": {
    summary: "serve the shuffle files of executors on this machine",
    run: async (host, args) => (await import("./commands/shuffle-service.ts")).runShuffleServiceCommand(host, args),
  },
  gateway: {
    summary: "serve submissions over HTTP, for clients of Livy and others",
    run: async (host, args) => (await import("./commands/gateway.ts")).runGatewayCommand(host, args),
  },
  setup: {
    summary: "prepare a namespace of a cluster for submissions",
    run: async (host, args) => (await import("./commands/setup.ts")).runSetupCommand(host, args),
  },
  spark: {
    summary: "find and install Spark distributions on this machine",
    run: async (host, args) => (await import("./commands/spark.ts")).runSparkCommand(host, args),
  },
  image: {
    summary: "build the container images of Spark and Firesteel",
    run: async (host, args) => (await import("./commands/image.ts")).runImageCommand(host, args),
  },
  packages: {
    summary: "resolve Maven packages and download their jars",
    run: async (host, args) => (await import("./commands/packages.ts")).runPackagesCommand(host, args),
  },
  completion: {
    summary: "print a script that completes command lines in a shell",
    run: async (host, args) => (await import("./commands/completion.ts")).runCompletionCommand(host, args),
  },
  init: {
    summary: "create a small project that runs as it is",
    run: async (host, args) => (await import("./commands/init.ts")).runInitCommand(host, args),
  },
  demo: {
    summary: "run a Spark application with two executors on this machine",
    run: async (host, args) => (await import("./commands/demo.ts")).runDemoCommand(host, args),
  },
  version: {
    summary: "print the version",
    run: async (host, args) => (await import("./commands/version.ts")).runVersionCommand(host, args),
  },
};

/** Names of all commands, in the order of the help text. */
export const commandNames: readonly string[] = Object.keys(commands);

/** Runs the program `firesteel` with the arguments in `host.argv`. @returns the exit code */
export async function main(host: Host): Promise<number> {
  const [name = "", ...args] = toArgv(host.argv);
  if (["", "help", "--help", "-h"].includes(name)) {
    (name === "" ? host.stderr : host.stdout).write(usage());
    return name === "" ? 1 : 0;
  }
  const commandName = name === "--version" ? "version" : name;
  const command = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined;
  try {
    if (command === undefined) throw (await import("./unknown-name.ts")).unknownCommand(name, commandNames);
    return await command.run(host, args);
  } catch (error) {
    host.stderr.write(printError(error, { form: "errorAndHint" }));
    return exitCodeOfError(error);
  }
}

/** Replaces `help COMMAND` by `COMMAND --help`, also for a subcommand. */
function toArgv(argv: readonly string[]): readonly string[] {
  const [first, ...command] = argv;
  return first === "help" && command[0]?.startsWith("-") === false ? [...command, "--help"] : argv;
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}\n`);
  return `Usage: firesteel <command> [options]\n\n${rows.join("")}\nFor the options of a command, run: firesteel <command> --help\n`;
}
