import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { targetSparkVersion } from "../environment.ts";

/** A call of one of Spark's other programs, as a call of spark-submit. */
interface ProgramCall {
  /** Arguments for spark-submit. */
  readonly args: readonly string[];
  /** First lines of the usage text. */
  readonly usage?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the variables that select Spark Classic in a shell without Spark Connect: none for Spark 3.5, which has no choice. */
export async function classicMode(host: Host): Promise<Readonly<Record<string, string>>> {
  return (await targetSparkVersion(host)).line === "3.5" ? {} : { SPARK_CONNECT_MODE: "0" };
}

/** Returns the host on which spark-submit does what another program of Spark was called for. */
export function asSparkSubmit(host: Host, { args, usage, env }: ProgramCall): Host {
  const head = usage === undefined ? {} : { _SPARK_CMD_USAGE: usage };
  return overrideHost(host, { argv: args, env: { ...host.env, ...head, ...env } });
}
