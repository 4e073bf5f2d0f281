import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";
import { overrideHost } from "../host/override-host.ts";

/** 2000-01-01T00:00:00Z in ms since the epoch: obviously not a real submission time. */
const fixedTime = 946_684_800_000;

/** Returns the host with random values derived from a seed and with a fixed clock, so that submissions are reproducible. */
export function seededHost(host: Host, seed: string): Host {
  let drawn = 0;
  const draw = (count: number) => {
    drawn += 1;
    return createHash("shake256", { outputLength: count }).update(`${drawn}\n${seed}`).digest();
  };
  return overrideHost(host, {
    clock: { ...host.clock, now: () => fixedTime },
    random: { bytes: draw, uuid: () => toUuid(draw(16).toString("hex")), fraction: () => 0 },
  });
}

function toUuid(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20)].join("-");
}
