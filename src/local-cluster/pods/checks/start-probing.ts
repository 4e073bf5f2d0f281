import type { CheckResult, CheckTarget } from "./check.ts";
import { countProbe, type Probe, type ProbeCount, runProbe } from "./probe.ts";

/** Kind of a container's probe, as events name it: `Readiness probe failed: …`. */
export type ProbeKind = (typeof kinds)[number];

const kinds = ["Startup", "Readiness", "Liveness"] as const;

interface Probing {
  readonly target: CheckTarget;
  /** Ms since 1970. */
  readonly startedAt: number;
  /** Called for each probe that failed or could not run, regardless of thresholds. */
  readonly onFailure: (kind: ProbeKind, result: CheckResult) => void;
  /** Called when a probe reaches its success or failure threshold. */
  readonly onThresholdReached: (kind: ProbeKind, isOk: boolean) => void;
  /** Runs one probe. @default runProbe */
  readonly run?: (target: CheckTarget, probe: Probe) => Promise<CheckResult>;
}

/**
 * Probes a container while it runs: first the startup probe, then the others, each at its own period. A liveness or
 * startup probe that reached its deciding threshold does not run again.
 *
 * Source: Kubernetes, "Configure Liveness, Readiness and Startup Probes".
 *
 * @returns a function that stops the probes.
 */
export function startProbing(probing: Probing): () => void {
  const { spec, clock } = probing.target;
  const ended = new Set<ProbeKind>();
  const cancels = new Map<ProbeKind, () => void>();
  const startOthers = () => {
    startProbe("Readiness", spec.readinessProbe);
    startProbe("Liveness", spec.livenessProbe);
  };

  function startProbe(kind: ProbeKind, probe: Probe | undefined): void {
    if (probe === undefined || ended.has(kind)) return;
    const first = probing.startedAt + (probe.initialDelaySeconds ?? 0) * 1000;
    const wait = (ms: number, count?: ProbeCount) => {
      const cancel = clock.after(ms, () => void probeOnce(count));
      cancels.set(kind, cancel);
    };
    const probeOnce = async (before: ProbeCount | undefined) => {
      const probedAt = clock.now();
      const result = await (probing.run ?? runProbe)(probing.target, probe).catch(probeError);
      if (ended.has(kind)) return;
      if (result.isOk !== true) probing.onFailure(kind, result);
      const { count, outcome } =
        result.isOk === undefined ? { count: before, outcome: undefined } : countProbe(probe, before, result.isOk);
      if (outcome !== undefined) conclude(kind, outcome);
      const next = probedAt + (probe.periodSeconds ?? 10) * 1000;
      if (!ended.has(kind)) wait(Math.max(0, next - clock.now()), count);
    };
    wait(Math.max(0, first - clock.now()));
  }

  function conclude(kind: ProbeKind, isOk: boolean): void {
    if (kind === "Startup" || (kind === "Liveness" && !isOk)) ended.add(kind);
    probing.onThresholdReached(kind, isOk);
    if (kind === "Startup" && isOk) startOthers();
  }

  if (spec.startupProbe === undefined) startOthers();
  else startProbe("Startup", spec.startupProbe);
  return () => {
    for (const kind of kinds) ended.add(kind);
    for (const cancel of cancels.values()) cancel();
  };
}

function probeError(error: unknown): CheckResult {
  return { isOk: undefined, output: error instanceof Error ? error.message : String(error) };
}
