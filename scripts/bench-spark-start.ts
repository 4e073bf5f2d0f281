/**
 * Measures what class data sharing and the fast compiler save: `npm run bench -- spark-start [--rounds 3]`. Runs Pi with two executors on
 * the embedded cluster as `npm start` does, in alternating rounds with and without `FIRESTEEL_CLASS_SHARING=off`.
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Command, describeMachine, median, numberTable, observeTree } from "./bench/measure.ts";

interface Usage {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Prepares Spark, measures, and prints the results. */
export async function benchSparkStart(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: "string", default: "3" } } });
  await usageOf(command(["spark", "prepare"], {}));
  const demo = (sharing: string) => usageOf(command(["demo"], { FIRESTEEL_CLASS_SHARING: sharing }));
  const rounds: { readonly off: Usage; readonly on: Usage }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ off: await demo("off"), on: await demo("on") });
  }
  const row = (name: string, measure: (usage: Usage) => number) => [
    name,
    median(rounds.map(({ off }) => measure(off))).toFixed(1),
    median(rounds.map(({ on }) => measure(on))).toFixed(1),
    median(rounds.map(({ off, on }) => measure(on) / measure(off))).toFixed(2),
  ];
  const rows = [row("wall time (s)", ({ seconds }) => seconds), row("processor time (s)", (usage) => usage.cpuSeconds)];
  const table = numberTable(["npm start, second time", "sharing off", "sharing on", "ratio"], rows);
  process.stdout.write([describeMachine(), "", ...table, ""].join("\n"));
}

async function usageOf(measured: Command): Promise<Usage> {
  const started = performance.now();
  const { cpuMs = Number.NaN } = (await observeTree(measured)) ?? {};
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: cpuMs / 1000 };
}

/** Keeps the user's Spark, Java and cache. */
function command(args: readonly string[], more: Readonly<Record<string, string>>): Command {
  const { PATH = "", HOME = "", SPARK_HOME, JAVA_HOME, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const env = {
    ...(SPARK_HOME === undefined ? {} : { SPARK_HOME }),
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    ...{ PATH, HOME, XDG_CACHE_HOME },
    ...more,
  };
  return {
    file: process.execPath,
    args: ["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), ...args],
    env,
    exit: 0,
  };
}
