import { isSubmitError, messageOf, type SubmitError } from "../../errors/submit-error.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { isTransient } from "../../kube/is-transient.ts";
import type { Pod } from "../../kube/types.ts";
import { backoff } from "../../net/backoff.ts";
import type { ApplicationEnd } from "./application.ts";
import type { Entry } from "./entry.ts";

/** Decides which waiting applications may run. */
export interface Admission {
  /** Returns the applications to submit now, and sets for all others why they wait. */
  readonly admit: (waiting: readonly Entry[]) => readonly Entry[];
}

interface DispatcherCall {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  readonly admission: Admission;
  readonly maxConcurrent: number;
  readonly submit: (entry: Entry, onOutput: (text: string) => void) => Promise<Pod>;
  /** Called after each change that clients see. */
  readonly onChange: (entry: Entry) => void;
  readonly onSubmitted: (entry: Entry, pod: Pod) => Promise<void>;
  readonly onFailed: (entry: Entry, end: ApplicationEnd) => Promise<void>;
}

/** Submits waiting applications in the order that admission decides. */
export interface Dispatcher {
  readonly add: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
  /** Asks admission again, after an application has ended. */
  readonly wake: () => void;
  /** Starts no further submission, and waits for those that run. */
  readonly stop: () => Promise<void>;
}

/** Lines of a submission that are kept: they are part of the record. */
const maxLogLines = 100;

/** Starts with an empty queue. */
export function startDispatcher(call: DispatcherCall): Dispatcher {
  const waiting = new Set<Entry>();
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  let isPlanned = false;
  const wake = () => {
    if (isPlanned || ending.signal.aborted) return;
    isPlanned = true;
    // Requests that arrive together are decided together.
    setImmediate(() => {
      isPlanned = false;
      dispatch();
    });
  };
  const dispatch = () => {
    if (ending.signal.aborted || waiting.size === 0) return;
    const now = call.clock.now();
    const due = [...waiting].filter(({ record }) => (record.notBeforeMs ?? 0) <= now);
    for (const entry of call.admission.admit(due)) {
      if (running.size >= call.maxConcurrent) return;
      waiting.delete(entry);
      entry.phase = "submitting";
      entry.waiting = undefined;
      call.onChange(entry);
      const run = submitUntilDecided(call, entry, ending.signal).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  };
  return {
    add(entry) {
      waiting.add(entry);
      const delayMs = (entry.record.notBeforeMs ?? 0) - call.clock.now();
      if (delayMs > 0) call.clock.after(delayMs, wake);
      wake();
    },
    remove: (entry) => void waiting.delete(entry),
    wake,
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
}

/** Submits an application until the API accepts or rejects it: an API that is down is no reason to lose it. */
async function submitUntilDecided(call: DispatcherCall, entry: Entry, signal: AbortSignal): Promise<void> {
  const { wait } = backoff(call.clock, call.random);
  while (!signal.aborted && entry.end === undefined) {
    const lines: string[] = [];
    const onOutput = (text: string) => {
      lines.push(
        ...text
          .trimEnd()
          .split("\n")
          .slice(0, maxLogLines - lines.length),
      );
    };
    try {
      const pod = await call.submit(entry, onOutput);
      entry.submissionLog = lines;
      entry.phase = "submitted";
      return await call.onSubmitted(entry, pod);
    } catch (error) {
      if (signal.aborted) return;
      entry.submissionLog = lines;
      if (isSubmitError(error) && !isTransient(error)) return call.onFailed(entry, endOf(error, call.clock.now()));
      call.log("WARN", "A submission failed, and is repeated.", { key: entry.record.key, reason: messageOf(error) });
      await wait(signal);
    }
  }
}

function endOf({ issues }: SubmitError, atMs: number): ApplicationEnd {
  const message = issues.map(({ message: text, hint }) => (hint === undefined ? text : `${text} ${hint}`)).join("\n");
  return { state: "failed", atMs, reason: "Rejected", message, hasStarted: false };
}
