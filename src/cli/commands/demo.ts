import { SubmitError, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { showProgress } from "../../host/progress.ts";
import { connect } from "../../kube-client/connect.ts";
import { sharesClasses } from "../../spark/class-archive.ts";
import { findRunningCluster } from "../cluster-record.ts";
import { type EmbeddedConnection, openEmbedded, prepareRuntime } from "../embedded.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { packageDirectory } from "../package-directory.ts";
import { parseOptions } from "../parse-options.ts";
import { unknownChoice } from "../unknown-name.ts";
import { javaPiArgs, printCommand, pythonPiArgs, shortRunArgs } from "./demo/demonstration.ts";
import { buildJavaExample } from "./demo/java-pi.ts";
import { listenToLines } from "./demo/listen-to-lines.ts";
import { driverTimeline } from "./demo/pod-timeline.ts";
import { type DemoResult, printSummary, type Stage, stagesOf } from "./demo/summary.ts";
import { watchSparkPods } from "./demo/watch-pods.ts";
import { runSparkSubmit } from "./submit.ts";

const demoUsage = `Usage: firesteel demo [pi|java] [SLICES]

Run a Spark application with two executors on the embedded cluster, through spark-submit.

  pi      run Spark's own Pi in Python (default)
  java    compile and run a small Java application
  SLICES  number of tasks (default: 10)
`;

const applications = ["pi", "java"] as const;
type Application = (typeof applications)[number];

/** Runs `firesteel demo`: installs what is missing, then runs the application. @returns the driver's exit code */
export async function runDemoCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(demoUsage);
    return 0;
  }
  const { application, slices } = parseDemoArgs(args);
  const stages: Stage[] = [];
  const measure = async <T>(name: string, action: () => Promise<T>) => {
    const startedMs = host.clock.monotonic();
    const value = await action();
    stages.push({ name, ms: host.clock.monotonic() - startedMs });
    return value;
  };
  const running = await findRunningCluster(host, "default");
  if (running?.apiOnly === true) throw submitError("SUBMIT_ERR_CLUSTER_API_ONLY", { name: running.name });
  if (running === undefined) {
    const preparation = { sparkVersion: undefined, progress: showProgress(host) };
    await measure("find Spark and Java", () => prepareRuntime(host, preparation));
  }
  const opening = running === undefined ? "start the cluster" : "find the cluster";
  const cluster = await measure(opening, () => openEmbedded(host));
  try {
    const applicationArgs =
      application === "pi"
        ? pythonPiArgs(slices)
        : javaPiArgs(slices, await measure("compile", () => compile(host, cluster)));
    const submitArgs = [...(sharesClasses(host) ? shortRunArgs() : []), ...applicationArgs];
    const exitCode = await demonstrate(host, { application, cluster, submitArgs, stages });
    if (exitCode === 0) await prepareNextStart(host);
    return exitCode;
  } finally {
    await cluster.close();
  }
}

/** Parses the arguments. The application is optional. */
function parseDemoArgs(args: readonly string[]): { application: Application; slices: string } {
  const { positionals } = parseOptions(args, { flags: [], values: [], maxPositionals: 2 });
  const [application = "pi", slices = "10"] = /^\d/.test(positionals[0] ?? "") ? ["pi", ...positionals] : positionals;
  const found = applications.find((known) => known === application);
  if (found === undefined)
    throw new SubmitError([unknownChoice({ option: "demo", value: application, choices: applications })]);
  if (!/^[1-9]\d{0,5}$/.test(slices)) {
    const allowed = "a whole number from 1 to 999999";
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "SLICES", value: slices, allowed });
  }
  return { application: found, slices };
}

async function compile(host: Host, { sparkVersion }: EmbeddedConnection): Promise<{ directory: string; jar: string }> {
  const {
    sparkHomes: [spark],
    javaHome,
  } = await prepareRuntime(host, { sparkVersion, progress: showProgress(host) });
  const source = `${packageDirectory(host)}/examples/java-pi/JavaPi.java`;
  return await buildJavaExample(host, { source, spark, javaHome });
}

interface Demonstration {
  readonly application: Application;
  readonly cluster: EmbeddedConnection;
  readonly submitArgs: readonly string[];
  /** Stages that have ended. */
  readonly stages: readonly Stage[];
}

async function demonstrate(host: Host, demonstration: Demonstration): Promise<number> {
  const { application, cluster, submitArgs, stages } = demonstration;
  const client = await connect(host, {
    server: cluster.url,
    log: () => {},
    requestTimeoutMs: 10_000,
    connectionTimeoutMs: 10_000,
    access: { kind: "known", authority: cluster.certificateAuthority, token: cluster.token },
  });
  const pods = await watchSparkPods(client, host.clock);
  host.stdout.write(`\n${printCommand("spark-submit", submitArgs)}\n\n`);
  const results: string[] = [];
  const stdout = listenToLines(host.stdout, (line) => {
    if (line.startsWith("Pi is roughly")) results.push(line);
  });
  const submitted = host.clock.monotonic();
  const exitCode = await runSparkSubmit(overrideHost(host, { stdout, argv: submitArgs }));
  const timeline = await pods.stop();
  client.close();
  // An error or an interruption has already been reported.
  if (driverTimeline(timeline)?.finished === undefined) return exitCode;
  const summary = printSummary({
    ...{ result: results.at(-1), exitCode, timeline },
    stages: [...stages, ...stagesOf(timeline, submitted)],
    environment: `${cluster.sandbox} sandboxes on this machine, image ${cluster.defaults.image}, API server ${cluster.url}`,
    next: nextCommands(application, cluster),
  });
  host.stdout.write(summary);
  return exitCode;
}

/** Makes the class data archive of Spark in the background, unless there is one. A machine of CI starts Spark only once. */
async function prepareNextStart(host: Host): Promise<void> {
  const { CI } = host.env;
  if (!sharesClasses(host) || (CI !== undefined && CI !== "")) return;
  const { sparkHomes, classArchive } = await prepareRuntime(host, {
    ...{ sparkVersion: undefined, progress: showProgress(host) },
  });
  if (classArchive(sparkHomes[0]) !== undefined) return;
  host.spawn("nice", [host.nodePath, host.programPath, "spark", "prepare"], {
    ...{ cwd: host.cwd, detached: true, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  });
  host.stdout.write(
    "\nFor about a minute, Firesteel prepares Spark in the background, so that it starts in half the time.\n",
  );
}

function nextCommands(application: Application, { location }: EmbeddedConnection): DemoResult["next"] {
  const others = {
    pi: ["npm start -- java", "run a Java application"],
    java: ["npm start", "run Spark's own Pi in Python"],
  } as const;
  const start = [
    "npx firesteel cluster start",
    "start a cluster in the background, for kubectl and further submissions",
  ] as const;
  return [
    others[application],
    ...(location === "inside" ? [start] : []),
    ["npx spark-submit --help", "list all options"],
    ["npx firesteel spark list", "list the Spark distributions on this machine"],
  ];
}
