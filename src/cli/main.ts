import type { Host } from "../host/host.ts";
import { overrideHost } from "../host/override-host.ts";
import { runSparkSubmit } from "./commands/submit.ts";
import { exitCodeOfError } from "./exit-codes.ts";
import { printError } from "./print.ts";
import { firesteelVersion } from "./version.ts";

/** One word of `firesteel`, what it is for, and the program behind it, which loads only when it is asked for. */
interface Command {
  readonly summary: string;
  readonly run: (host: Host, args: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  submit: {
    summary: "submits an application: the same as spark-submit",
    run: (host, args) => runSparkSubmit(overrideHost(host, { argv: args })),
  },
  render: {
    summary: "shows the objects that a submission would create",
    run: async (host, args) => (await import("./commands/render.ts")).runRenderCommand(host, args),
  },
  explain: {
    summary: "tells what decided each field of these objects",
    run: async (host, args) => (await import("./commands/explain.ts")).runExplainCommand(host, args),
  },
  diff: {
    summary: "tells how two submissions differ, or one from a running driver",
    run: async (host, args) => (await import("./commands/diff.ts")).runDiffCommand(host, args),
  },
  attach: {
    summary: "waits for a driver that exists already",
    run: async (host, args) => (await import("./commands/attach.ts")).runAttachCommand(host, args),
  },
  status: {
    summary: "shows how drivers are",
    run: async (host, args) =>
      (await import("./commands/operation.ts")).runOperationCommand("status", host, args),
  },
  kill: {
    summary: "ends drivers",
    run: async (host, args) =>
      (await import("./commands/operation.ts")).runOperationCommand("kill", host, args),
  },
  diagnose: {
    summary: "says why a driver does not start, ended badly or hangs",
    run: async (host, args) => (await import("./commands/diagnose.ts")).runDiagnoseCommand(host, args),
  },
  standalone: {
    summary: "asks a standalone master whether it is ready, ends all its drivers, forgets those that ended",
    run: async (host, args) => (await import("./commands/standalone.ts")).runStandaloneCommand(host, args),
  },
  sweep: {
    summary: "removes what submissions left behind that were killed",
    run: async (host, args) => (await import("./commands/sweep.ts")).runSweepCommand(host, args),
  },
  cluster: {
    summary: "starts, stops and shows a Kubernetes cluster on this machine",
    run: async (host, args) => (await import("./commands/cluster.ts")).runClusterCommand(host, args),
  },
  "staging-server": {
    summary: "keeps the files of submissions for their pods",
    run: async (host, args) =>
      (await import("./commands/staging-server.ts")).runStagingServerCommand(host, args),
  },
  spark: {
    summary: "finds and installs Spark distributions on this machine",
    run: async (host, args) => (await import("./commands/spark.ts")).runSparkCommand(host, args),
  },
  packages: {
    summary: "finds the jars that Maven packages need, and fetches them",
    run: async (host, args) => (await import("./commands/packages.ts")).runPackagesCommand(host, args),
  },
  demo: {
    summary: "runs a Spark application with two executors on this machine",
    run: async (host, args) => (await import("./commands/demo.ts")).runDemoCommand(host, args),
  },
  version: {
    summary: "shows the version",
    run: async (host) => {
      host.stdout.write(`firesteel ${firesteelVersion}\n`);
      return 0;
    },
  },
};

/** In the order in which help tells them. */
export const commandNames: readonly string[] = Object.keys(commands);

/** The program `firesteel`, with the words in `host.argv`: gives the exit code. */
export async function main(host: Host): Promise<number> {
  const [name = "", ...args] = toArgv(host.argv);
  if (["", "help", "--help", "-h"].includes(name)) {
    (name === "" ? host.stderr : host.stdout).write(usage());
    return name === "" ? 1 : 0;
  }
  const command = commands[name === "--version" ? "version" : name];
  try {
    if (command === undefined) throw await unknownCommand(name);
    return await command.run(host, args);
  } catch (error) {
    host.stderr.write(printError(error, { form: "plain", strict: false }));
    return exitCodeOfError(error);
  }
}

/** `help COMMAND` is `COMMAND --help`. */
function toArgv(argv: readonly string[]): readonly string[] {
  const [first, second] = argv;
  return first === "help" && second !== undefined && !second.startsWith("-") ? [second, "--help"] : argv;
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}\n`);
  return `Usage: firesteel <command> [options]\n\n${rows.join("")}\nEach command tells more with --help.\n`;
}

async function unknownCommand(command: string) {
  const { submitError } = await import("../errors/submit-error.ts");
  return submitError("SUBMIT_ERR_COMMAND_UNKNOWN", { command, known: Object.keys(commands) });
}
