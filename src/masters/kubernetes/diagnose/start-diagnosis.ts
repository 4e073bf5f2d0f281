import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import type { Observation } from "../../../diagnosis/observation.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import type { Observer } from "./observer.ts";
import { printProblem, printProblemResolved } from "./print-problem.ts";

/** Whose trouble is told, and to whom. */
export interface DiagnosisMonitorCall {
  readonly clock: Clock;
  readonly log: Log;
  readonly latest: LatestPod;
  readonly container: string;
  readonly observer: Pick<Observer, "observe" | "onChange" | "isSteady">;
  /** @default the rules of `src/diagnosis` */
  readonly diagnose?: Diagnose;
  /** The driver will not start until somebody changes something. */
  readonly onUnrecoverable: (diagnosis: Diagnosis) => void;
  readonly signal: AbortSignal;
}

/** What keeps a driver, told as it comes and goes. */
export interface DiagnosisMonitor {
  /** As it was last seen. */
  readonly current: () => Diagnosis | undefined;
  /** The verdict on the whole, after a last look. */
  readonly verdict: (driver: { readonly isDeleted: boolean }) => Promise<Diagnosis | undefined>;
}

// Changes come in swarms: one look after each swarm.
const gatherMs = 300;
// Silence tells, too, so there is a look now and then; where all is well, less often.
const restlessMs = 3000;
const calmMs = 15_000;
/** A trouble that returns within this time never went. */
const passedMs = 5000;
/** The same cause in other words is not told again sooner. */
const repeatMs = 60_000;
const verdictMs = 10_000;

/** Looks at a driver as long as it is waited for. */
export function startDiagnosis(call: DiagnosisMonitorCall): DiagnosisMonitor {
  const { clock, latest, observer, container, signal, onUnrecoverable } = call;
  const teller = diagnosisReporter(call);
  const rules =
    call.diagnose === undefined ? import("../../../diagnosis/diagnose.ts") : withRules(call.diagnose);
  const considered = considering(call);
  let current: Diagnosis | undefined;
  void (async () => {
    const { diagnose } = await rules;
    for (let seen = ""; !signal.aborted; ) {
      await change(call, seen);
      await clock.sleep(gatherMs, { signal });
      if (signal.aborted) return;
      seen = versionOf(latest);
      const diagnosis = await considered(observer.observe({ isDeleted: false }), diagnose);
      if (signal.aborted) return;
      current = diagnosis;
      teller(diagnosis);
      const isHopeless = diagnosis?.isTerminal === true && diagnosis.isResolved !== true;
      if (isHopeless && !hasStarted(latest.get(), container)) onUnrecoverable(diagnosis);
    }
  })();
  return {
    current: () => (current?.isResolved === true ? undefined : current),
    async verdict(driver) {
      const { diagnose } = await rules;
      const late = new AbortController();
      const observed = considered(observer.observe(driver), diagnose);
      const inTime = clock.sleep(verdictMs, { signal: late.signal }).then(() => undefined);
      return Promise.race([observed, inTime]).finally(() => late.abort());
    },
  };
}

type Diagnose = (observation: Observation) => Diagnosis | undefined;

/** What rules make of an observation. Whoever waits for a driver goes on waiting if they fail at it, and is told so once. */
function considering({ log }: DiagnosisMonitorCall) {
  let isTold = false;
  return async (observing: Promise<Observation>, diagnose: Diagnose): Promise<Diagnosis | undefined> => {
    const observation = await observing.catch(() => undefined);
    if (observation === undefined) return undefined;
    try {
      return diagnose(observation);
    } catch (error) {
      if (!isTold) log("WARN", "Diagnosis", printFault(error));
      isTold = true;
      return undefined;
    }
  };
}

function printFault(error: unknown): string {
  return `What is seen of the driver cannot be judged: ${messageOf(error)}. This is a fault of Firesteel; please report it.`;
}

async function withRules<T>(diagnose: T): Promise<{ readonly diagnose: T }> {
  return { diagnose };
}

function versionOf(latest: LatestPod): string {
  return latest.get().metadata?.resourceVersion ?? "";
}

/** Resolves when there may be something new to see. */
async function change(
  { clock, latest, observer, signal }: DiagnosisMonitorCall,
  seen: string,
): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const pauseMs = observer.isSteady() ? calmMs : restlessMs;
  let silence = () => {};
  await Promise.race([
    clock.sleep(pauseMs, { signal: either }),
    latest.until((pod) => pod.metadata?.resourceVersion !== seen, either),
    new Promise<void>((resolve) => {
      silence = observer.onChange(resolve);
    }),
  ]);
  silence();
  done.abort();
}

/** Says a diagnosis when it is new, and when it has passed. */
function diagnosisReporter({ clock, log }: DiagnosisMonitorCall): (diagnosis: Diagnosis | undefined) => void {
  let told: { readonly diagnosis: Diagnosis; readonly at: number } | undefined;
  let wellSince: number | undefined;
  return (diagnosis) => {
    const now = clock.monotonic();
    if (diagnosis === undefined || diagnosis.isResolved === true) {
      if (told === undefined) return;
      wellSince ??= now;
      if (diagnosis === undefined && now - wellSince < passedMs) return;
      log("INFO", "Diagnosis", printProblemResolved(told.diagnosis));
      told = undefined;
      wellSince = undefined;
      return;
    }
    wellSince = undefined;
    if (told !== undefined && told.diagnosis.cause === diagnosis.cause) {
      const isSame = withoutPorts(told.diagnosis.message) === withoutPorts(diagnosis.message);
      if (isSame || now - told.at < repeatMs) return;
    }
    told = { diagnosis, at: now };
    log("WARN", "Diagnosis", printProblem(diagnosis));
  };
}

/** Each try to reach a registry names another port of the node. */
function withoutPorts(message: string): string {
  return message.replace(/:\d+->/g, "->");
}
