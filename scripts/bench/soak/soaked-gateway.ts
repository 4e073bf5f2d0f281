import { memoryOf } from "../followed-applications.ts";
import { type GatewayCluster, type GatewayProcess, startGateway } from "../gateway-process.ts";
import type { Sample } from "./memory.ts";

/** A gateway that is killed and restarted, with its memory. */
export interface SoakedGateway {
  /** URL of the present process. */
  readonly url: () => string;
  readonly kill: () => Promise<void>;
  /** Measures the memory; restarts a gateway that has ended by itself. */
  readonly sample: () => Promise<void>;
  readonly samples: readonly Sample[];
  readonly end: () => Promise<void>;
}

const maxStarts = 10;

/** Starts a gateway. @param problems gets what the gateway must not do */
export async function soakGateway(cluster: GatewayCluster, problems: string[]): Promise<SoakedGateway> {
  const started = performance.now();
  const samples: Sample[] = [];
  let current = await startGateway(cluster);
  return {
    ...{ url: () => current.url, samples },
    async kill() {
      await current.end("SIGKILL");
      current = await restart(cluster);
    },
    async sample() {
      if (!current.isRunning()) {
        problems.push(`The gateway with process ID ${current.pid} ended by itself.`);
        current = await restart(cluster);
      }
      const seconds = (performance.now() - started) / 1000;
      samples.push({ seconds, pid: current.pid, mebibytes: memoryOf(current.pid) });
    },
    end: () => current.end("SIGTERM"),
  };
}

/** A start can fail while the API does; then a cluster starts the gateway again. @throws Error after 10 attempts */
async function restart(cluster: GatewayCluster): Promise<GatewayProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startGateway(cluster);
    } catch (error) {
      if (attempt === maxStarts) throw error;
    }
  }
}
