import { submitError } from "../../errors/submit-error.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { NewApplication, SubmitResult } from "../model/applications.ts";
import type { NewSchedule, ScheduleRecord } from "../model/schedules.ts";
import { testRecord } from "../model/test-application.ts";
import type { SpanAttributes } from "../tracing/tracing.ts";
import { openSchedules, type SchedulesCall } from "./open-schedules.ts";

/** Time at which tests start, in ms since 1970. */
export const startMs = Date.UTC(2026, 0, 1, 12);
export const minuteMs = 60_000;
export const etl = { namespace: "jobs", name: "etl" } as const;

/** Schedule whose runs overlap. */
export const everyMinute: NewSchedule = {
  ...{ ...etl, owner: "alice", isSuspended: false },
  rules: { schedule: "* * * * *", concurrencyPolicy: "Allow" },
  application: { name: "etl", app: "local:///etl.py" },
};

/** Error of the API about a record that does not exist. */
export function notFound(): Error {
  return submitError("SUBMIT_ERR_KUBE_NOT_FOUND", {
    ...{ method: "PATCH", url: "https://api/secrets/etl", server: "https://api", message: "not found" },
    ...{ missingNamespace: undefined, missingKind: undefined },
  });
}

/** Applications and a store in memory, which outlive the gateways of a test. */
export interface TestSchedules {
  readonly host: TestHost;
  readonly stored: Map<string, ScheduleRecord>;
  readonly submitted: GatewayApplication[];
  /** Results of the next calls, the first first. A call without one, or with `undefined`, succeeds. */
  readonly failures: {
    readonly submit: SubmitResult[];
    readonly check: Awaited<ReturnType<SchedulesCall["check"]>>[];
    readonly create: Error[];
    readonly update: Error[];
    readonly removeRun: Error[];
    readonly removeRecord: (Error | undefined)[];
  };
  /** Texts of the log. */
  readonly logged: string[];
  /** Keys of runs that were killed. */
  readonly killed: string[];
  readonly spans: {
    readonly name: string;
    readonly attributes: SpanAttributes;
    readonly failure: string | undefined;
  }[];
  /** Parents of the spans of the runs. */
  readonly parents: (string | undefined)[];
  readonly open: (
    changes?: Partial<SchedulesCall["applications"]>,
    machine?: SchedulesCall["host"],
  ) => ReturnType<typeof openSchedules>;
  /** Minutes after the start for which the runs were scheduled. */
  readonly minutes: () => readonly number[];
  /** Sets the state of all runs. */
  readonly setState: (state: GatewayState) => void;
}

/** Creates an empty store. */
export function testSchedules(): TestSchedules {
  const host = testHost({ now: startMs });
  const stored = new Map<string, ScheduleRecord>();
  const submitted: GatewayApplication[] = [];
  const failures: TestSchedules["failures"] = {
    ...{ submit: [], check: [], create: [], update: [], removeRun: [], removeRecord: [] },
  };
  const [logged, killed]: [string[], string[]] = [[], []];
  const spans: TestSchedules["spans"] = [];
  const parents: (string | undefined)[] = [];
  const listeners = new Set<(key: string, application: GatewayApplication | undefined) => void>();
  const next = (errors: (Error | undefined)[]) => {
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
  const applications: SchedulesCall["applications"] = {
    async submit(application) {
      const failure = failures.submit.shift();
      if (failure !== undefined) return failure;
      const { idempotencyKey, traceparent } = application;
      const known = submitted.find(({ record }) => record.idempotencyKey === idempotencyKey);
      if (known !== undefined) return { kind: "repeated", application: known };
      const created = applicationOf(application, submitted.length, host.clock.now());
      submitted.push(created);
      parents.push(traceparent);
      for (const listener of listeners) listener(created.record.key, created);
      return { kind: "accepted", application: created };
    },
    kill: async (key) => killed.push(key) > 0,
    async remove(key) {
      next(failures.removeRun);
      const index = submitted.findIndex(({ record }) => record.key === key);
      if (index >= 0) submitted.splice(index, 1);
      for (const listener of listeners) listener(key, undefined);
    },
    list: () => submitted,
    get: (key) => submitted.find(({ record }) => record.key === key),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    synced: Promise.resolve(),
  };
  const store: SchedulesCall["store"] = {
    list: async () => [...stored.values()],
    async create(record) {
      next(failures.create);
      if (stored.has(record.key)) return false;
      stored.set(record.key, record);
      return true;
    },
    async update(record) {
      next(failures.update);
      if (!stored.has(record.key)) throw notFound();
      stored.set(record.key, record);
    },
    async remove(key) {
      next(failures.removeRecord);
      stored.delete(key);
    },
  };
  const tracing: SchedulesCall["tracing"] = {
    start: ({ name, attributes }) => ({
      traceparent: `span ${spans.length}`,
      end: ({ failure }) => void spans.push({ name, attributes, failure }),
    }),
    close: async () => {},
  };
  return {
    ...{ host, stored, submitted, failures, logged, killed, spans, parents },
    open: (changes, machine = host) =>
      openSchedules({
        ...{ host: machine, store, tracing, applications: { ...applications, ...changes } },
        log: (_level, text) => logged.push(text),
        check: async () => failures.check.shift() ?? [],
      }),
    minutes: () => submitted.map(({ record }) => ((record.schedule?.scheduledMs ?? 0) - startMs) / minuteMs),
    setState(state) {
      for (const [index, run] of submitted.entries()) submitted[index] = { ...run, state };
    },
  };
}

function applicationOf(application: NewApplication, number: number, acceptedMs: number): GatewayApplication {
  const { protocol, submission, schedule, idempotencyKey, name } = application;
  const identity = { key: `api-${number}`, id: String(number), protocol, name, number };
  const record = testRecord({ ...identity, ...{ acceptedMs, submission, schedule, idempotencyKey } });
  return { record, state: "running", executors: [], submissionLog: [], isExplained: true };
}
