import type { Clock, Random, TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { executorIdLabel } from "../../../plan/labels.ts";
import { defaultExecutorContainer } from "../../../plan/names.ts";
import type { Observer } from "../diagnose/observer.ts";
import { type DriverLog, followDriverLog } from "../watch/follow-driver-log.ts";
import { type LatestPod, latestPod } from "../watch/latest-pod.ts";

/** Whose logs are followed, and where they go. */
export interface ExecutorLogsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: Pick<Observer, "executors" | "onChange">;
  /** Gets each line with the executor's id before it. */
  readonly stdout: TextSink;
  readonly signal: AbortSignal;
}

const mostStreams = 16;
/** How long the last words of executors are waited for when their driver has ended. */
const farewellMs = 5000;
const logger = "LoggingPodStatusWatcherImpl";

interface Stream {
  readonly latest: LatestPod;
  readonly log: DriverLog;
  isOver: boolean;
}

/** Copies the logs of executors to stdout as they come and go, a bounded number at once. */
export function followExecutorLogs(call: ExecutorLogsCall): DriverLog {
  const { observer, clock, log } = call;
  const streams = new Map<string, Stream>();
  const refused = new Set<string>();
  const update = () => {
    for (const { object, isDeleted } of observer.executors()) {
      const id = object.metadata?.uid ?? "";
      const known = streams.get(id);
      if (known !== undefined) renew(known, object, isDeleted);
      else if (isDeleted || refused.has(id)) continue;
      else if ([...streams.values()].filter(({ isOver }) => !isOver).length < mostStreams) {
        streams.set(id, startStream(call, object));
      } else {
        if (refused.size === 0) {
          log(
            "WARN",
            logger,
            `Logs of at most ${mostStreams} executors are shown at once; others are left out.`,
          );
        }
        refused.add(id);
      }
    }
  };
  const silence = observer.onChange(update);
  update();
  return {
    async drain() {
      const late = new AbortController();
      const all = Promise.all([...streams.values()].map((stream) => stream.log.drain().catch(() => {})));
      await Promise.race([all, clock.sleep(farewellMs, { signal: late.signal })]);
      late.abort();
    },
    stop() {
      silence();
      for (const stream of streams.values()) stream.log.stop();
    },
  };
}

function renew(stream: Stream, pod: Pod, isDeleted: boolean): void {
  if (stream.isOver) return;
  stream.latest.set(pod);
  const isOver = isDeleted || isFinalPhase(pod.status?.phase);
  if (!isOver) return;
  stream.isOver = true;
  void stream.log.drain().catch(() => {});
}

function startStream(call: ExecutorLogsCall, pod: Pod): Stream {
  const latest = latestPod(pod);
  const id = pod.metadata?.labels?.[executorIdLabel] ?? pod.metadata?.name ?? "";
  const names = (pod.spec?.containers ?? []).map(({ name }) => name);
  const container = names.includes(defaultExecutorContainer)
    ? defaultExecutorContainer
    : (names.at(-1) ?? "");
  const log = followDriverLog({
    ...call,
    ...{ latest, container, whose: `executor ${id}'s`, stdout: withPrefix(call.stdout, `[executor ${id}] `) },
  });
  return { latest, log, isOver: false };
}

/** Each write is one line; a last one without its end gets one, for others go on after it. */
function withPrefix(stdout: TextSink, prefix: string): TextSink {
  return {
    ...stdout,
    write(text) {
      const line = typeof text === "string" ? text : Buffer.from(text).toString("utf8");
      stdout.write(`${prefix}${line.endsWith("\n") ? line : `${line}\n`}`);
    },
  };
}
