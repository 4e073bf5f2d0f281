import type { Host } from "./host.ts";

const terminalIntervalMs = 1000;
const plainIntervalMs = 10_000;

/** Shows on stderr how long a task has taken, until it settles: on a terminal a line that changes, elsewhere a line every 10 s. */
export async function showElapsed<T>({ stderr, clock }: Host, what: string, task: Promise<T>): Promise<T> {
  const started = clock.monotonic();
  const ended = new AbortController();
  const show = (text: string) => stderr.write(stderr.isTerminal ? Buffer.from(`\r${text}`) : `${text}\n`);
  const line = () => `${what}: ${((clock.monotonic() - started) / 1000).toFixed(0)} s`;
  const showEach = async () => {
    const intervalMs = stderr.isTerminal ? terminalIntervalMs : plainIntervalMs;
    while (!ended.signal.aborted) {
      await clock.sleep(intervalMs, { signal: ended.signal });
      if (!ended.signal.aborted) show(line());
    }
  };
  const showing = showEach();
  try {
    return await task;
  } finally {
    ended.abort();
    await showing;
    if (stderr.isTerminal) show(`${line()}\n`);
  }
}
