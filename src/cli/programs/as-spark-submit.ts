import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { targetSparkVersion } from "../environment.ts";

/** What one of Spark's other programs makes of its words. */
export interface ProgramCall {
  /** For spark-submit. */
  readonly words: readonly string[];
  /** The head of the usage text. */
  readonly usage?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A shell that knows no Spark Connect says so, since there is a choice. */
export async function classicMode(host: Host): Promise<Readonly<Record<string, string>>> {
  return (await targetSparkVersion(host)).line === "3.5" ? {} : { SPARK_CONNECT_MODE: "0" };
}

/** The machine on which spark-submit is asked what another program of Spark's was asked. */
export function asSparkSubmit(host: Host, { words, usage, env }: ProgramCall): Host {
  const head = usage === undefined ? {} : { _SPARK_CMD_USAGE: usage };
  return overrideHost(host, { argv: words, env: { ...host.env, ...head, ...env } });
}
