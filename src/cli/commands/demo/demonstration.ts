import { driverDefaultJavaOptions } from "../../../conf/entries/driver.ts";
import { executorDefaultJavaOptions, executorInstances } from "../../../conf/entries/executor.ts";
import { firesteelLogs } from "../../../conf/entries/firesteel.ts";
import { volumes } from "../../../conf/entries/volumes.ts";
import type { Role } from "../../../conf/entry.ts";

/** Option of Java for short runs: only the fast compiler, C1. It starts sooner, and long jobs run slower. */
const shortRun = "-XX:TieredStopAtLevel=1";

/** Arguments of `spark-submit` that applications share: two executors, small enough for a laptop. */
const sharedArgs: readonly string[] = [
  ...["--master", "k8s://embedded", "--deploy-mode", "cluster"],
  ...["--driver-memory", "512m", "--executor-memory", "512m"],
  ...["--conf", `${executorInstances.key}=2`],
  ...["--conf", `${firesteelLogs.key}=driver`],
];

/** Returns the arguments that make Java start sooner and compile less. */
export function shortRunArgs(): readonly string[] {
  return [driverDefaultJavaOptions, executorDefaultJavaOptions].flatMap(({ key }) => ["--conf", `${key}=${shortRun}`]);
}

/** Returns the arguments of `spark-submit` for Spark's own Pi in Python. */
export function pythonPiArgs(slices: string): readonly string[] {
  return [...sharedArgs, "local:///opt/spark/examples/src/main/python/pi.py", slices];
}

const mountPath = "/opt/firesteel/examples";

/** Returns the arguments of `spark-submit` for Firesteel's Pi in Java, whose jar is in a directory of this machine. */
export function javaPiArgs(slices: string, { directory, jar }: { directory: string; jar: string }): readonly string[] {
  return [
    ...sharedArgs,
    ...["--class", "JavaPi"],
    ...volumeArgs("driver", directory),
    ...volumeArgs("executor", directory),
    ...[`local://${mountPath}/${jar}`, slices],
  ];
}

function volumeArgs(role: Role, directory: string): readonly string[] {
  const prefix = `${volumes[role].prefix}hostPath.examples`;
  return [
    ...["--conf", `${prefix}.mount.path=${mountPath}`],
    ...["--conf", `${prefix}.mount.readOnly=true`],
    ...["--conf", `${prefix}.options.path=${directory}`],
  ];
}

/** Prints a command as a user would type it: each option with its value on a line, then the application. */
export function printCommand(program: string, args: readonly string[]): string {
  const rest = [...args];
  const lines = [program];
  while (rest[0]?.startsWith("--") === true) lines.push(rest.splice(0, 2).join(" "));
  return [...lines, rest.join(" ")].join(" \\\n  ");
}
