import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { PodLogRequest } from "../api/pod-logs.ts";
import { containerLogs } from "./container-logs.ts";
import type { ContainerRuntimeState } from "./pod-runtime-state.ts";

const waiting: ContainerRuntimeState = {
  ...{ name: "a", role: "app", state: { is: "waiting", reason: "ContainerCreating" }, last: undefined },
  ...{ restarts: 0, backOffMs: 0, retryAt: 0, imageId: "", probes: { startup: false, readiness: false } },
};
const running: ContainerRuntimeState = {
  ...waiting,
  state: {
    ...{ is: "running", id: "x", startedAt: 0, before: undefined, terminationCause: undefined },
    ...{ isStarted: true, isReady: true },
  },
};
const last = {
  is: "terminated",
  id: "x",
  exitCode: 1,
  reason: "Error",
  startedAt: 0,
  finishedAt: 0,
} as const;

function logs() {
  const host = testHost();
  const kept = containerLogs(host, "/logs");
  async function read(request: Partial<PodLogRequest> = {}, runtime = running) {
    const response = kept.read(
      {
        ...{ namespace: "n", pod: "p", container: "a", follow: false, previous: false, timestamps: false },
        ...{ tailLines: undefined, limitBytes: undefined, since: undefined },
        signal: new AbortController().signal,
        ...request,
      },
      runtime,
    );
    if (!("chunks" in response)) return response.message;
    let text = "";
    for await (const chunk of response.chunks) text += Buffer.from(chunk).toString("utf8");
    return text;
  }
  const write = (text: string, stream: "stdout" | "stderr" = "stdout") => writer.write(stream, Buffer.from(text));
  let writer = kept.startRun("a");
  return {
    ...{ host, read, write, kept },
    end: () => writer.end(),
    restart: () => {
      writer = kept.startRun("a");
    },
  };
}

describe("a container's log", () => {
  test("contains both outputs regardless of chunks, and may lack the last line break", async () => {
    const { read, write, end } = logs();
    for (const chunk of ["on", "e\ntw", "o\n"]) write(chunk);
    write("oops\n", "stderr");
    write("end");
    expect(await read()).toBe("one\ntwo\noops\n");
    end();
    expect(await read()).toBe("one\ntwo\noops\nend");
  });

  test("keeps long lines complete", async () => {
    const { read, write, end } = logs();
    write("x".repeat(200_000));
    end();
    expect((await read()).length).toBe(200_000);
  });

  test.each<[Partial<PodLogRequest>, string]>([
    [{ tailLines: 2 }, "two\nthree\n"],
    [{ tailLines: 0 }, ""],
    [{ tailLines: 9 }, "one\ntwo\nthree\n"],
    [{ limitBytes: 5 }, "one\nt"],
    [{ since: Date.UTC(2026, 0, 2, 3, 4, 6) }, "three\n"],
    [{ timestamps: true, tailLines: 1 }, "2026-01-02T03:04:06.000000000Z three\n"],
  ])("is selected by the request: %j", async (request, expected) => {
    const { host, read, write } = logs();
    write("one\ntwo\n");
    await host.advance(1000);
    write("three\n");
    expect(await read(request)).toBe(expected);
  });

  test.each([
    ["one\ntwo\n", "one\ntwo\n"],
    ["one\ntwo", "one\ntwo"],
    ["DONE", "DONE"],
    ["x".repeat(40_000), "x".repeat(2048)],
    ["", ""],
  ])("has an end with the container's line breaks only", (written, expected) => {
    const { write, end, kept } = logs();
    write(written);
    end();
    expect(kept.tail("a", 2048)).toBe(expected);
  });

  test("is followed until the container ends", async () => {
    const { read, write, end } = logs();
    write("one\n");
    const output = read({ follow: true });
    await Promise.resolve();
    write("two\n");
    end();
    expect(await output).toBe("one\ntwo\n");
  });

  test("ends for a reader that disconnects while following", async () => {
    const { read, write } = logs();
    const reader = new AbortController();
    write("one\n");
    const output = read({ follow: true, signal: reader.signal });
    await Promise.resolve();
    reader.abort();
    expect(await output).toBe("one\n");
  });

  test("is kept for the current and the previous run only", async () => {
    const { host, read, write, end, restart } = logs();
    for (const run of ["one", "two", "three"]) {
      write(`${run}\n`);
      end();
      if (run !== "three") restart();
    }
    expect(await read({}, { ...running, last })).toBe("three\n");
    expect(await read({ previous: true }, { ...running, last })).toBe("two\n");
    expect(await read({ previous: true }, { ...waiting, last })).toBe("three\n");
    expect(host.files.list("/logs")).toHaveLength(2);
  });

  test("reports a reason when it does not exist", async () => {
    const host = testHost();
    const empty = containerLogs(host, "/logs");
    const readWaiting = (previous: boolean, reason: string) =>
      empty.read(
        {
          ...{ namespace: "n", pod: "p", container: "a", follow: false, previous, timestamps: false },
          ...{ tailLines: undefined, limitBytes: undefined, since: undefined },
          signal: new AbortController().signal,
        },
        { ...waiting, state: { is: "waiting", reason } },
      );
    const start = 'container "a" in pod "p" is waiting to start: ';
    expect(readWaiting(false, "PodInitializing")).toEqual({
      status: 400,
      message: `${start}PodInitializing`,
    });
    expect(readWaiting(false, "ErrImagePull")).toEqual({
      status: 400,
      message: `${start}image can't be pulled`,
    });
    expect(readWaiting(true, "ContainerCreating")).toEqual({
      status: 400,
      message: 'previous terminated container "a" in pod "p" not found',
    });
  });
});
