import { describe, expect, test } from "vitest";
import type { StopSignal } from "../errors/stop-signal.ts";
import { chunks, socketError } from "./test-api.ts";
import { drain, errorOf, podType, testClient, untilAborted } from "./test-client.ts";

describe("a stream", () => {
  test("of a watch yields its events, but not an incomplete line", async () => {
    const stream = chunks(
      '{"type":"ADDED","object":{"kind":"Pod","metadata":{}}}\n{"type":"BOOK',
      'MARK","object":{}}\n{"ty',
    );
    const { api, client } = testClient(() => ({ status: 200, stream }));
    const types = [];
    const call = {
      type: podType,
      namespace: "ns",
      fieldSelector: "metadata.name=drv",
      resourceVersion: "5",
      timeoutSeconds: 9,
    };
    for await (const event of client.watch(call)) types.push(event.type);
    expect(types).toEqual(["ADDED", "BOOKMARK"]);
    expect(api.requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&resourceVersion=5&timeoutSeconds=9&watch=true",
    );
  });

  test("of a watch without data ends after 1.5 times its timeout", async () => {
    const { client, clock } = testClient(({ signal }) => ({ status: 200, stream: neverEndingStream(signal) }));
    const startMs = clock.now();
    const ended = (async () => {
      for await (const _ of client.watch({ type: podType, timeoutSeconds: 60 })) expect.unreachable();
    })();
    await clock.settle(ended);
    expect(clock.now() - startMs).toBe(90_000);
  });

  test("fails when it breaks, and on a line that is not an event", async () => {
    const broken = testClient(() => ({ status: 200, stream: chunks("x", socketError("ECONNRESET")) }));
    expect((await errorOf(drain(broken.client.logs({ namespace: "ns", pod: "drv" })))).code).toBe(
      "SUBMIT_ERR_KUBE_UNREACHABLE",
    );
    const garbage = testClient(() => ({ status: 200, stream: chunks("garbage\n") }));
    expect((await errorOf(drain(garbage.client.watch({ type: podType })))).code).toBe("SUBMIT_ERR_KUBE_RESPONSE");
  });

  test("of a log sends the requested options", async () => {
    const { api, client } = testClient(() => ({ status: 200, body: "line\n" }));
    await drain(
      client.logs({
        namespace: "ns",
        pod: "drv",
        container: "c",
        follow: true,
        sinceTime: "2026-01-01T00:00:00Z",
      }),
    );
    expect(api.requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods/drv/log?container=c&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z",
    );
  });
});

async function* neverEndingStream(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
  yield await untilAborted(signal);
}
