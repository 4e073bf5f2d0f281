import { submitError } from "../../errors/submit-error.ts";
import type { Host, TextSink } from "../../host/host.ts";
import { connect } from "../../kube-client/connect.ts";
import { localJava } from "../../spark/find-java.ts";
import { listSparks } from "../../spark/find-spark.ts";
import { showProgress } from "../../spark/progress.ts";
import { findRunningCluster } from "../cluster-record.ts";
import { type EmbeddedConnection, openEmbedded, prepareRuntime } from "../embedded.ts";
import { parseFlags } from "../flags.ts";
import { javaPiWords, printCommand, pythonPiWords } from "./demo/demonstration.ts";
import { buildJavaExample } from "./demo/java-pi.ts";
import { printSummary, type Stage, stagesOf } from "./demo/summary.ts";
import { watchSparkPods } from "./demo/watch-pods.ts";
import { runSparkSubmit } from "./submit.ts";

export const demoUsage = `Usage: firesteel demo [pi|java] [SLICES]

Runs a real Spark application with two executors on the embedded cluster, through spark-submit.

  pi      Spark's own Pi in Python (default)
  java    a small Java application, compiled here
`;

/** `firesteel demo`: everything a newcomer needs, then Pi. Gives the driver's exit code. */
export async function runDemoCommand(host: Host, args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    host.stdout.write(demoUsage);
    return 0;
  }
  const [application = "pi", slices = "10"] = parseFlags(args, { flags: [], values: [], maxWords: 2 }).words;
  if (application !== "pi" && application !== "java") {
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "demo", value: application, allowed: "pi, java" });
  }
  const stages: Stage[] = [];
  const measure = async <T>(name: string, action: () => Promise<T>) => {
    const begun = host.clock.monotonic();
    const value = await action();
    stages.push({ name, ms: host.clock.monotonic() - begun });
    return value;
  };
  const running = await findRunningCluster(host, "default");
  if (running?.apiOnly === true) throw submitError("SUBMIT_ERR_CLUSTER_API_ONLY", { name: running.name });
  if (running === undefined) {
    const preparation = { sparkVersion: undefined, progress: showProgress(host) };
    await measure("find Spark and Java", () => prepareRuntime(host, preparation));
  }
  const words =
    application === "pi"
      ? pythonPiWords(slices)
      : javaPiWords(slices, await measure("compile", () => compile(host)));
  const cluster = await measure(running === undefined ? "start the cluster" : "find the cluster", () =>
    openEmbedded(host),
  );
  try {
    return await demonstrate(host, { cluster, words, stages });
  } finally {
    await cluster.close();
  }
}

async function compile(host: Host): Promise<{ folder: string; jar: string }> {
  const [spark] = listSparks(host);
  if (spark === undefined) throw new Error("a cluster runs, but its Spark is gone");
  const source = `${packageFolder(host)}/examples/java-pi/JavaPi.java`;
  return await buildJavaExample(host, { source, spark, javaHome: localJava(host)?.home });
}

/** Where this package lies: its programs are in `dist/bin`. */
function packageFolder(host: Host): string {
  const program = host.files.realPath(host.programPath) ?? host.programPath;
  return program.split("/").slice(0, -3).join("/");
}

interface Demonstration {
  readonly cluster: EmbeddedConnection;
  readonly words: readonly string[];
  /** Those that are over. */
  readonly stages: readonly Stage[];
}

async function demonstrate(host: Host, { cluster, words, stages }: Demonstration): Promise<number> {
  const client = await connect(host, {
    server: cluster.url,
    log: () => {},
    requestTimeoutMs: 10_000,
    connectionTimeoutMs: 10_000,
    access: { kind: "known", authority: cluster.certificateAuthority, token: cluster.token },
  });
  const pods = await watchSparkPods(client, host.clock);
  host.stdout.write(`\n${printCommand("spark-submit", words)}\n\n`);
  const results: string[] = [];
  const stdout = listenTo(host.stdout, (line) => {
    if (line.startsWith("Pi is roughly")) results.push(line);
  });
  const submitted = host.clock.monotonic();
  const exitCode = await runSparkSubmit({ ...host, stdout, argv: words });
  const story = await pods.stop();
  client.close();
  // Refused: that has been told.
  if (story.size === 0) return exitCode;
  const summary = printSummary({
    ...{ result: results.at(-1), exitCode, story },
    stages: [...stages, ...stagesOf(story, submitted)],
    place: `${cluster.sandbox} sandboxes on this machine, image ${cluster.defaults.image}, API server ${cluster.url}`,
    next: nextCommands(cluster),
  });
  host.stdout.write(summary);
  return exitCode;
}

/** The same sink; each whole line that goes through it is told. */
function listenTo(sink: TextSink, onLine: (line: string) => void): TextSink {
  let begun = "";
  return {
    ...sink,
    write(text) {
      sink.write(text);
      const lines = (begun + Buffer.from(text).toString("utf8")).split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    },
  };
}

function nextCommands({ place }: EmbeddedConnection): readonly (readonly [string, string])[] {
  const start = [
    "npx firesteel cluster start",
    "a cluster in the background, for kubectl and further submissions",
  ] as const;
  return [
    ["npm start -- java", "the same with a Java application"],
    ...(place === "inside" ? [start] : []),
    ["npx spark-submit --help", "everything that can be submitted"],
    ["npx firesteel spark list", "the Spark distributions on this machine"],
  ];
}
