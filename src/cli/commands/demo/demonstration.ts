import { executorInstances } from "../../../conf/entries/executor.ts";
import { firesteelLogs } from "../../../conf/entries/firesteel.ts";
import { volumes } from "../../../conf/entries/volumes.ts";
import type { Role } from "../../../conf/entry.ts";

/** Words of `spark-submit` that both demonstrations share: two executors, small enough for a laptop. */
const sharedWords: readonly string[] = [
  ...["--master", "k8s://embedded", "--deploy-mode", "cluster"],
  ...["--driver-memory", "512m", "--executor-memory", "512m"],
  ...["--conf", `${executorInstances.key}=2`],
  ...["--conf", `${firesteelLogs.key}=driver`],
];

/** The words after `spark-submit` that run Spark's own Pi in Python. */
export function pythonPiArgs(slices: string): readonly string[] {
  return [...sharedWords, "local:///opt/spark/examples/src/main/python/pi.py", slices];
}

const mountPath = "/opt/firesteel/examples";

/** The words after `spark-submit` that run our Pi in Java, whose jar is in a folder of this machine. */
export function javaPiArgs(
  slices: string,
  { folder, jar }: { folder: string; jar: string },
): readonly string[] {
  return [
    ...sharedWords,
    ...["--class", "JavaPi"],
    ...volumeWords("driver", folder),
    ...volumeWords("executor", folder),
    ...[`local://${mountPath}/${jar}`, slices],
  ];
}

function volumeWords(role: Role, folder: string): readonly string[] {
  const prefix = `${volumes[role].prefix}hostPath.examples`;
  return [
    ...["--conf", `${prefix}.mount.path=${mountPath}`],
    ...["--conf", `${prefix}.mount.readOnly=true`],
    ...["--conf", `${prefix}.options.path=${folder}`],
  ];
}

/** A command as one would type it: each option with its value on a line, then the application. */
export function printCommand(program: string, words: readonly string[]): string {
  const rest = [...words];
  const lines = [program];
  while (rest[0]?.startsWith("--") === true) lines.push(rest.splice(0, 2).join(" "));
  return [...lines, rest.join(" ")].join(" \\\n  ");
}
