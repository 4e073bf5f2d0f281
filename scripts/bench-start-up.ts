/**
 * Measures the start of the commands of `firesteel`, beside bare Node: each does the least that it is for, on an embedded cluster
 * without a node.
 *
 *     npm run bench -- start-up [--rounds 15] [--json]
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type EmbeddedApi, withEmbeddedApi } from "./bench/bench-api.ts";
import { describeMachine, numberTable } from "./bench/measure.ts";
import { measureRows, type Row } from "./bench/measure-rows.ts";

const program = resolve("dist/bin/firesteel.cjs");

/** Largest ratio of a command's time to that of bare Node. */
const maxRatio = 2.5;

/** Measures all commands and prints a table, or JSON. */
export async function benchStartUp(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string", default: "15" }, json: { type: "boolean", default: false } },
  });
  const results = await withEmbeddedApi((api) => {
    const env = environment(api);
    const files = writeApplications(api.home);
    execFileSync(program, ["apply", "-f", files.running], { env, stdio: "ignore" });
    return measureRows(rowsFor(env, api.home, files), Number(values.rounds));
  });
  const slow = results.filter(({ timeRatio }) => timeRatio > maxRatio).map(({ name }) => name);
  const cells = results.map(({ name, ms, timeRatio, cpuMs, cpuRatio }) => [
    name,
    ...[ms.toFixed(1), timeRatio.toFixed(2), cpuMs?.toFixed(1) ?? "?", cpuRatio?.toFixed(2) ?? "?"],
  ]);
  const text = [
    describeMachine(),
    "",
    ...numberTable(["", "ms", "× bare", "cpu ms", "× bare"], cells),
    "",
    `above ${maxRatio} × bare: ${slow.join(", ") || "none"}`,
    "",
  ].join("\n");
  process.stdout.write(values.json ? `${JSON.stringify({ results, maxRatio, slow }, undefined, 2)}\n` : text);
}

/** Passes only the variables that the commands need: NODE_EXTRA_CA_CERTS alone costs Node 20 about 30 ms. */
function environment({ home, kubeconfig }: EmbeddedApi): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    FIRESTEEL_STATE: home,
    KUBECONFIG: kubeconfig,
  };
}

/** Files of applications: `running` has a driver, `absent` has none. */
interface ApplicationFiles {
  readonly running: string;
  readonly absent: string;
  readonly schedule: string;
}

function writeApplications(directory: string): ApplicationFiles {
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const own = (name: string) =>
    `name: ${name}\napp: local:///app.jar\nclass: Main\nimage: spark:4.3.0\nnamespace: default\nconf:\n  spark.executor.instances: '2'\n`;
  return {
    running: write("running.yaml", own("running")),
    absent: write("absent.yaml", own("absent")),
    schedule: write("schedule.yaml", scheduleText),
  };
}

const scheduleText = `apiVersion: sparkoperator.k8s.io/v1beta2
kind: ScheduledSparkApplication
metadata: {name: bench}
spec:
  schedule: "@every 1h"
  template:
    type: Scala
    sparkVersion: 4.3.0
    image: spark:4.3.0
    mainClass: Main
    mainApplicationFile: local:///app.jar
    driver: {}
    executor: {}
`;

function rowsFor(env: Record<string, string>, directory: string, files: ApplicationFiles): readonly Row[] {
  const row = (name: string, args: readonly string[], exit = 0, file = program): Row => ({
    name,
    command: { file, args, env, exit },
    isApache: false,
  });
  const driver = "default:running-driver";
  const submission = ["--deploy-mode", "cluster", "--class", "Main", "local:///app.jar"];
  const lock = ["packages", "lock", "--offline", "--lock", join(directory, "lock"), "org.example:absent:1.0"];
  return [
    row("node -e 0", ["-e", "0"], 0, process.execPath),
    row("explain -f", ["explain", "-f", files.absent]),
    row("render -f", ["render", "-f", files.absent]),
    row("diff -f, no driver", ["diff", "-f", files.absent], 1),
    row("diff -f, a driver", ["diff", "-f", files.running]),
    row("apply -f, unchanged", ["apply", "-f", files.running]),
    row("delete -f, no driver", ["delete", "-f", files.absent, "--ignore-not-found"]),
    row("convert -f", ["convert", "--to", "command", "-f", files.absent]),
    row("convert", ["convert", "--to", "own", ...submission]),
    row("schedule", ["schedule", "-f", files.schedule]),
    row("ps", ["ps"]),
    row("events", ["events", driver]),
    row("logs, no driver", ["logs", "absent"], 1),
    row("top, no driver", ["top", "absent"], 1),
    row("top, a pending driver", ["top", driver], 1),
    row("bundle, no driver", ["bundle", "absent"], 1),
    row("ui, no driver", ["ui", "absent"], 1),
    row("connect list", ["connect", "list"]),
    row("packages lock, an absent package", lock, 1),
    row("history --help", ["history", "--help"]),
  ];
}
