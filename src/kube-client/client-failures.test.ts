import { describe, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { kubeClient } from "./client.ts";
import { chunks, refused, socketError } from "./test-api.ts";
import { driverTarget, errorOf, testClient } from "./test-client.ts";

describe("a failing call", () => {
  test("to an HTTPS server without encryption suggests https://", async () => {
    const clock = testClock(0);
    const transport = async () => {
      throw socketError("ECONNRESET");
    };
    const logged: string[] = [];
    const client = kubeClient({
      ...{ transport, clock, server: "http://api:6443", requestTimeoutMs: 10_000 },
      log: (_, __, text) => logged.push(text),
    });
    expect((await clock.settle(errorOf(client.get(driverTarget)))).message).toContain("is it an https:// address?");
    expect(logged[0]).toMatch(/address\? Trying again\.$/);
  });

  test("ends with its signal, also during a delay", async () => {
    const abort = new AbortController();
    const { client, clock } = testClient(() => refused(500, "busy"));
    const error = errorOf(client.get({ ...driverTarget, signal: abort.signal }));
    await clock.advance(50);
    abort.abort();
    expect((await error).code).toBe("SUBMIT_ERR_INTERRUPTED");
  });

  test("distinguishes an untrusted certificate and an unreadable response from an unreachable server", async () => {
    const certificate = testClient(() => {
      throw socketError("SELF_SIGNED_CERT_IN_CHAIN");
    });
    expect((await errorOf(certificate.client.get(driverTarget))).code).toBe("SUBMIT_ERR_KUBE_CERTIFICATE");
    const page = testClient(() => ({ status: 200, body: "<html>secret" }));
    const error = await errorOf(page.client.get(driverTarget));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_RESPONSE");
    expect(error.message).not.toContain("secret");
    const cut = testClient(() => ({ status: 200, stream: chunks('{"kind":', socketError("ECONNRESET")) }));
    expect((await cut.clock.settle(errorOf(cut.client.get(driverTarget)))).code).toBe("SUBMIT_ERR_KUBE_UNREACHABLE");
  });
});
