import { expect, onTestFinished } from "vitest";
import type { Outcome } from "../../acceptance/programs.ts";
import { swift } from "../../staging/s3/fetch-swift.ts";
import { startSwift } from "../../staging/s3/swift.ts";
import { alone, startStaging } from "../../staging/staging-program.ts";
import type { SparkCluster } from "../spark-cluster.ts";
import { type Application, foundByAll } from "./application.ts";

/** Transport, and the pods that get the files. */
export interface Row {
  readonly transport: "secret" | "push" | "server" | "s3";
  readonly mode: "driverServed" | "everywhere" | "classPathOnly";
}

/** Settings that a submission needs for a row. */
export interface Prepared {
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Allowed combinations: no client could push files to an executor that starts later. */
export const rows: readonly Row[] = [
  ...modesOf("secret", "driverServed", "everywhere", "classPathOnly"),
  ...modesOf("push", "driverServed"),
  ...modesOf("server", "driverServed", "everywhere", "classPathOnly"),
  ...modesOf("s3", "driverServed", "everywhere", "classPathOnly"),
];

function modesOf(transport: Row["transport"], ...modes: readonly Row["mode"][]): readonly Row[] {
  return modes.map((mode) => ({ transport, mode }));
}

/** Starts the servers of a row, on an address that pods reach, until the test ends. */
export async function prepare({ transport, mode }: Row, address = "127.0.0.1"): Promise<Prepared> {
  const settings = { "spark.firesteel.staging.transport": transport, "spark.firesteel.staging.mode": mode };
  if (transport === "server") {
    const { port } = await startStaging([...alone, "--host", address]);
    const server = { "spark.firesteel.staging.server": `http://${address}:${port}` };
    return { settings: { ...settings, ...server }, env: {} };
  }
  if (transport === "s3") {
    const { endpoint, env, newBucket, stop } = await startSwift(address);
    onTestFinished(stop);
    const bucket = {
      "spark.firesteel.staging.s3.path": `s3://${await newBucket()}/staged`,
      "spark.firesteel.staging.s3.endpoint": endpoint,
    };
    return { settings: { ...settings, ...bucket }, env };
  }
  return { settings, env: {} };
}

/** Submits to the embedded cluster with one executor and a row's transport. */
export async function submitByRow(
  { submitFrom }: SparkCluster,
  { directory, args }: Application,
  row: Row,
  more: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { settings, env } = await prepare(row);
  const conf = toConfArgs({ "spark.executor.instances": "1", ...settings, ...more });
  return submitFrom(directory, [...conf, ...args], env);
}

/** Settings as `--conf` arguments. */
export function toConfArgs(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]);
}

/** Returns the S3 server if a row requires it, else an empty requirement. */
export function requiredFor({ transport }: Row): object {
  return transport === "s3" ? swift : {};
}

/** Expects that driver and executors of the Python script read everything from the mode's location. */
export function expectAllOfPython(outcome: Outcome, mode: Row["mode"]): void {
  expectSuccess(outcome);
  expect(outcome.stdout).toMatch(/^script \/opt\/spark-deps\/pyfiles\/job\.py$/m);
  expect(outcome.stdout).toMatch(new RegExp(`^driver argument zip module ${foundByAll}$`, "m"));
  expect(outcome.stdout).toMatch(new RegExp(`^executors \\['zip module ${foundByAll}'\\]$`, "m"));
  expectJar(outcome, mode);
}

/** Expects the same of the Java application. */
export function expectAllOfJava(outcome: Outcome, mode: Row["mode"]): void {
  expectSuccess(outcome);
  expect(outcome.stdout).toMatch(new RegExp(`^driver argument ${foundByAll}$`, "m"));
  expect(outcome.stdout).toMatch(new RegExp(`^executors \\[${foundByAll}\\]$`, "m"));
  expectJar(outcome, mode);
}

function expectSuccess({ exit, stdout, stderr }: Outcome): void {
  expect(exit, `${stdout}\n${stderr}`).toBe(0);
}

/** A volume of Secrets has files behind a link, which a class path with `*` resolves. */
const localized = "file:/opt/spark-deps/(?:\\.\\.[^/]+/)?jars/words\\.jar";

/** Returns the URL from which executors fetch the jar, according to the driver's log. */
const servings: Readonly<Record<Row["mode"], RegExp | undefined>> = {
  driverServed: /Added JAR \S+words\.jar at spark:/,
  everywhere: new RegExp(`Added JAR local:\\S+words\\.jar at ${localized}`),
  classPathOnly: undefined,
};

function expectJar({ stdout }: Outcome, mode: Row["mode"]): void {
  const serving = servings[mode];
  if (serving === undefined) expect(stdout).not.toMatch(/Added JAR \S+words\.jar/);
  else expect(stdout).toMatch(serving);
  // Spark copies each file of `spark.jars` into the working directories.
  const directoryOfDriver = mode === "classPathOnly" ? localized : "file:/opt/spark/work-dir/\\./words\\.jar";
  expect(stdout).toMatch(/^jar-of-driver jarred file:\S+\/words\.jar$/m);
  expect(stdout).toMatch(new RegExp(`^jar-of-executors jarred ${directoryOfDriver}$`, "m"));
}
