import { isSubmitError, messageOf, type SubmitError } from "../../errors/submit-error.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { isTransient } from "../../kube/is-transient.ts";
import type { Pod } from "../../kube/types.ts";
import { backoff } from "../../net/backoff.ts";
import type { ApplicationEnd } from "../model/application.ts";
import { noDemand } from "../queue/demand.ts";
import type { FairQueue, QueueItem } from "../queue/fair-queue.ts";
import { printIssues } from "../submit/print-issues.ts";
import { quotaObstacle } from "../submit/quota-obstacle.ts";
import type { Entry } from "./entry.ts";

interface DispatcherCall {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  readonly queue: FairQueue;
  readonly maxConcurrent: number;
  readonly submit: (entry: Entry, onOutput: (text: string) => void) => Promise<Pod>;
  /** Called after each change that clients see. */
  readonly onChange: (entry: Entry) => void;
  readonly onSubmitted: (entry: Entry, pod: Pod) => Promise<void>;
  readonly onFailed: (entry: Entry, end: ApplicationEnd) => Promise<void>;
  /** Called instead of a submission, if the application has been killed before its driver was requested. */
  readonly onKilled: (entry: Entry) => Promise<void>;
}

/** Submits waiting applications in the order of the queues. */
export interface Dispatcher {
  /** Starts to submit: what runs already must be counted before. */
  readonly open: () => void;
  readonly add: (entry: Entry) => void;
  /**
   * Completes a submission that another process interrupted, or still performs, at once: its driver exists, but may lack objects that are
   * created after it.
   */
  readonly complete: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
  /** Counts an application as running that was admitted before this process started, or otherwise. */
  readonly started: (entry: Entry) => void;
  /** Counts an application as ended, which makes way for others. */
  readonly ended: (entry: Entry) => void;
  /** Asks the queue again, because capacity has become free. */
  readonly wake: () => void;
  /** Starts no further submission, and waits for those that run. */
  readonly stop: () => Promise<void>;
}

/** Delay before another attempt of a submission for which the quota has no room. */
const quotaDelayMs = 10_000;

/** Lines of a submission that are kept: they are part of the record. */
const maxLogLines = 100;

function itemOf({ record }: Entry): QueueItem {
  const { key, queue, owner: user, namespace, priority, demand = noDemand, number } = record;
  return { key, queue, user, namespace, priority, number, demand };
}

/** Starts with an empty queue. */
export function startDispatcher(call: DispatcherCall): Dispatcher {
  const waiting = new Map<string, Entry>();
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  let [isOpen, isPlanned] = [false, false];
  const wake = () => {
    if (!isOpen || isPlanned || ending.signal.aborted) return;
    isPlanned = true;
    // Requests that arrive together are decided together.
    setImmediate(() => {
      isPlanned = false;
      dispatch();
    });
  };
  const dispatch = () => {
    while (!ending.signal.aborted && running.size < call.maxConcurrent) {
      const next = call.queue.take();
      const entry = next === undefined ? undefined : waiting.get(next.key);
      if (entry === undefined) return;
      waiting.delete(entry.record.key);
      entry.phase = "submitting";
      entry.takenMs = call.clock.now();
      call.onChange(entry);
      run(entry);
    }
  };
  const run = (entry: Entry) => {
    const submission = submitUntilDecided(call, entry, { signal: ending.signal, putBack }).finally(() => {
      running.delete(submission);
      wake();
    });
    running.add(submission);
  };
  const release = () => {
    call.queue.release();
    wake();
  };
  const putBack = (entry: Entry, reason: string) => {
    entry.phase = "waiting";
    entry.takenMs = undefined;
    waiting.set(entry.record.key, entry);
    call.queue.putBack(itemOf(entry), reason);
    call.onChange(entry);
    call.clock.after(quotaDelayMs, release);
  };
  const enqueue = (entry: Entry) => {
    if (entry.end !== undefined || !waiting.has(entry.record.key)) return;
    call.queue.add(itemOf(entry));
    wake();
  };
  return {
    open() {
      isOpen = true;
      wake();
    },
    add(entry) {
      waiting.set(entry.record.key, entry);
      const delayMs = (entry.record.notBeforeMs ?? 0) - call.clock.now();
      if (delayMs > 0) call.clock.after(delayMs, () => enqueue(entry));
      else enqueue(entry);
    },
    complete: run,
    remove({ record: { key } }) {
      waiting.delete(key);
      call.queue.remove(key);
    },
    started: (entry) => call.queue.start(itemOf(entry)),
    ended({ record: { key } }) {
      waiting.delete(key);
      call.queue.remove(key);
      call.queue.end(key);
      release();
    },
    wake,
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
}

interface Decided {
  readonly signal: AbortSignal;
  /** Lets an application wait for its quota. */
  readonly putBack: (entry: Entry, reason: string) => void;
}

/** Submits an application until the API accepts or rejects it: an API that is down is no reason to lose it. */
async function submitUntilDecided(call: DispatcherCall, entry: Entry, { signal, putBack }: Decided): Promise<void> {
  const { wait } = backoff(call.clock, call.random);
  while (!signal.aborted && entry.end === undefined) {
    if (entry.record.killed !== undefined && !entry.canHaveDriver) return call.onKilled(entry);
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
      entry.submittedMs = call.clock.now();
      entry.phase = "submitted";
      return await call.onSubmitted(entry, pod);
    } catch (error) {
      if (signal.aborted) return;
      entry.submissionLog = lines;
      const obstacle = canWait(entry) ? quotaObstacle(error) : undefined;
      if (obstacle !== undefined) return putBack(entry, obstacle);
      entry.submittedMs = call.clock.now();
      if (isSubmitError(error) && !isTransient(error)) return call.onFailed(entry, endOf(error, entry.submittedMs));
      call.log("WARN", "A submission failed, and is repeated.", { key: entry.record.key, reason: messageOf(error) });
      await wait(signal);
    }
  }
}

/** The operator decides about its applications: it submits them again if the quota is exhausted. */
function canWait({ record }: Entry): boolean {
  return record.protocol !== "submitter" && record.killed === undefined;
}

function endOf({ issues }: SubmitError, atMs: number): ApplicationEnd {
  const message = printIssues(issues);
  return {
    state: "failed",
    atMs,
    reason: "Rejected",
    codes: issues.map(({ code }) => code),
    message,
    hasStarted: false,
  };
}
