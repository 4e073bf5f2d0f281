import { describe, expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { hadoopCalls } from "./hadoop-call.ts";
import { type TestRequest, type TestResponse, testWeb } from "./test-web.ts";

/** Submits to YARN servers. Returns the status, or code and message of the error. */
async function attempt(servers: readonly string[], respond: (request: TestRequest) => TestResponse) {
  const host = testHost();
  const { connections, requests } = testWeb(respond);
  const user = { name: "ann" };
  const call = hadoopCalls({ host, connections, servers, user, proxyParameter: "doAs" });
  const request = { method: "POST", path: "/apps", json: { secret: "s" }, what: "submit", of: "it" } as const;
  const ended = host.settle(call(request)).then(
    ({ status }) => status,
    (error: unknown) => (isSubmitError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
  return { ended: await ended, origins: [...new Set(requests.map(({ url }) => url.origin))], requests };
}

const to = (location: string) => ({ status: 307, headers: { location } });

describe("a call of Hadoop", () => {
  test("follows a standby server's redirect, with its body", async () => {
    const { ended, requests } = await attempt(["http://rm1:8088"], ({ url }) =>
      url.hostname === "rm1" ? to("http://rm2:8088/apps?user.name=ann") : { status: 202 },
    );
    expect(ended).toBe(202);
    expect(Buffer.from(requests[1]?.body ?? "").toString()).toBe('{"secret":"s"}');
  });

  test("does not follow a redirect to an unencrypted address", async () => {
    const { ended, origins } = await attempt(["https://rm1:8090"], () => to("http://rm2:8088/apps"));
    expect(ended).toContain("SUBMIT_ERR_HADOOP_UNREACHABLE");
    expect(ended).toContain("it redirects to an address without encryption");
    expect(origins).toEqual(["https://rm1:8090"]);
  });

  test.each([
    ["sent round in circles", to("/apps"), "it redirected more than 5 times"],
    ["sent nowhere", { status: 307 }, "it responded with 307 and no valid location"],
    ["sent to an invalid address", to("http://[/"), "no valid location"],
    ["rejected by servers that are all busy", { status: 503 }, "responded with HTTP 503"],
  ])("ends when it is %s", async (_, respond, message) => {
    const { ended } = await attempt(["http://rm1:8088"], () => respond);
    expect(ended).toContain("SUBMIT_ERR_HADOOP_UNREACHABLE");
    expect(ended).toContain(message);
  });

  test("is retried at another server when one breaks", async () => {
    const { ended, origins } = await attempt(["http://rm1:8088", "http://rm2:8088"], ({ url }) =>
      url.hostname === "rm1" ? "ECONNRESET" : { status: 202 },
    );
    expect([ended, origins]).toEqual([202, ["http://rm1:8088", "http://rm2:8088"]]);
  });
});

test("a page or a message of any length is cut, and searched in a moment", async () => {
  const pages = [`<title>${" ".repeat(1_000_000)}`, "<title>".repeat(200_000), "x".repeat(1_000_000)];
  const json = { RemoteException: { exception: "E".repeat(100_000), message: "m".repeat(100_000) } };
  for (const response of [...pages.map((text) => ({ status: 400, text })), { status: 400, json }]) {
    const { ended } = await attempt(["http://rm1:8088"], () => response);
    expect(String(ended)).toMatch(/^SUBMIT_ERR_HADOOP_REJECTED/);
    expect(String(ended).length).toBeLessThan(5000);
  }
});
