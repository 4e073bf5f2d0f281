import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import type { Observation } from "../../../diagnosis/observation.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import { logLines } from "../../../host/log.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod, WatchedPod } from "../watch/latest-pod.ts";
import type { Observer } from "./observer.ts";
import { initialReport, nextReport, type ProblemReport } from "./problem-report.ts";

interface DiagnosisMonitorCall extends Omit<WatchedPod, "client" | "random"> {
  readonly observer: Pick<Observer, "observe" | "onChange" | "isSteady" | "hasExecutors">;
  /** @default the rules of `src/diagnosis` */
  readonly diagnose?: Diagnose;
  /** Called when the driver will not start until the user changes something. */
  readonly onUnrecoverable: (diagnosis: Diagnosis) => void;
}

/** Running diagnosis of a driver, which logs problems as they appear and disappear. */
export interface DiagnosisMonitor {
  /** Returns the last diagnosis, unless its problem has been resolved. */
  readonly current: () => Diagnosis | undefined;
  /** Diagnoses the driver once more after its end; `undefined` if there is no problem or no result within 10 s. */
  readonly finalDiagnosis: (driver: ObservedDriver) => Promise<Diagnosis | undefined>;
  /** Logs a problem of a driver that succeeded, such as results that are lost with its pods. */
  readonly warnAtSuccess: () => Promise<void>;
}

type ObservedDriver = Parameters<Observer["observe"]>[0];
type Diagnose = (observation: Observation) => Diagnosis | undefined;

// Changes arrive in bursts: one observation covers each burst.
const debounceMs = 300;
// Missing events are evidence, too, so a driver is also observed without a change.
const intervalMs = 3000;
const steadyIntervalMs = 15_000;
const finalTimeoutMs = 10_000;

interface DiagnosisState {
  readonly call: DiagnosisMonitorCall;
  readonly rules: Promise<{ readonly diagnose: Diagnose }>;
  current: Diagnosis | undefined;
  report: ProblemReport;
  /** Whether a failure of the rules has been logged. */
  hasLoggedFault: boolean;
}

/** Starts to diagnose a driver until the signal aborts. */
export function startDiagnosis(call: DiagnosisMonitorCall): DiagnosisMonitor {
  const { diagnose } = call;
  const rules = diagnose === undefined ? import("../../../diagnosis/diagnose.ts") : Promise.resolve({ diagnose });
  const state: DiagnosisState = { call, rules, current: undefined, report: initialReport, hasLoggedFault: false };
  void run(state);
  return {
    current: () => (state.current?.isResolved === true ? undefined : state.current),
    finalDiagnosis: (driver) => diagnoseEnd(state, driver),
    async warnAtSuccess() {
      // Only executors show such problems: without any, no further request is needed.
      if (!call.observer.hasExecutors()) return;
      const diagnosis = await diagnoseEnd(state, { isDeleted: false });
      if (diagnosis !== undefined && diagnosis.isResolved !== true) onDiagnosis(state, diagnosis);
    },
  };
}

async function run(state: DiagnosisState): Promise<void> {
  const { clock, latest, signal } = state.call;
  for (let version = ""; !signal.aborted; ) {
    await waitForChange(state.call, version);
    await clock.sleep(debounceMs, { signal });
    if (signal.aborted) return;
    version = versionOf(latest);
    const diagnosis = await diagnoseOnce(state, { isDeleted: false });
    if (signal.aborted) return;
    onDiagnosis(state, diagnosis);
  }
}

function onDiagnosis(state: DiagnosisState, diagnosis: Diagnosis | undefined): void {
  const { clock, log, latest, container, onUnrecoverable } = state.call;
  state.current = diagnosis;
  const { report, text } = nextReport(state.report, diagnosis, clock.monotonic());
  state.report = report;
  if (text !== undefined) logLines(log, text.level, "Diagnosis", text.lines);
  const isUnrecoverable = diagnosis?.isTerminal === true && diagnosis.isResolved !== true;
  if (isUnrecoverable && !hasStarted(latest.get(), container)) onUnrecoverable(diagnosis);
}

/** Applies the rules to an observation. A failure of the rules is logged once and does not stop the wait for the driver. */
async function diagnoseOnce(state: DiagnosisState, driver: ObservedDriver): Promise<Diagnosis | undefined> {
  const { log, observer } = state.call;
  const { diagnose } = await state.rules;
  const observation = await observer.observe(driver).catch(() => undefined);
  if (observation === undefined) return undefined;
  try {
    return diagnose(observation);
  } catch (error) {
    const text = `Cannot diagnose the driver: ${messageOf(error)}. This is an error in Firesteel; please report it.`;
    if (!state.hasLoggedFault) log("WARN", "Diagnosis", text);
    state.hasLoggedFault = true;
    return undefined;
  }
}

async function diagnoseEnd(state: DiagnosisState, driver: ObservedDriver): Promise<Diagnosis | undefined> {
  // The limit is for the API's responses, not for loading the rules from a slow disk.
  await state.rules;
  const done = new AbortController();
  const timeout = state.call.clock.sleep(finalTimeoutMs, { signal: done.signal }).then(() => undefined);
  return Promise.race([diagnoseOnce(state, driver), timeout]).finally(() => done.abort());
}

function versionOf(latest: LatestPod): string {
  return latest.get().metadata?.resourceVersion ?? "";
}

/** Waits for a change of the driver or of an observed object, or for the interval. */
async function waitForChange(
  { clock, latest, observer, signal }: DiagnosisMonitorCall,
  version: string,
): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  let removeListener = () => {};
  await Promise.race([
    clock.sleep(observer.isSteady() ? steadyIntervalMs : intervalMs, { signal: either }),
    latest.until((pod) => pod.metadata?.resourceVersion !== version, either),
    new Promise<void>((resolve) => {
      removeListener = observer.onChange(resolve);
    }),
  ]);
  removeListener();
  done.abort();
}
