import { expect, test } from "vitest";
import { describeWith } from "../../test-with.ts";
import { alone, someBytes, stageBundle, startStaging } from "../staging-program.ts";
import { swift } from "./fetch-swift.ts";
import { openS3Proxy } from "./s3-proxy.ts";
import { swiftForTests } from "./swift.ts";

const latencyMs = 500;

/** Opens a proxy that delays all requests and fails every tenth one. */
async function openUnsteadyProxy(
  endpoint: string,
): Promise<{ readonly endpoint: string; readonly failures: () => number }> {
  let [count, failures] = [0, 0];
  const proxy = await openS3Proxy(endpoint, (incoming, response, pass) => {
    count += 1;
    if (count % 10 !== 0) {
      setTimeout(pass, latencyMs);
      return;
    }
    failures += 1;
    incoming.resume();
    // Alternate between two kinds of failure.
    if (failures % 2 === 0) incoming.socket.destroy();
    else response.writeHead(503, { connection: "close" }).end("<Error><Code>SlowDown</Code></Error>");
  });
  return { endpoint: proxy, failures: () => failures };
}

describeWith(swift)("a bucket that is slow and fails at times", { timeout: 300_000 }, () => {
  const s3 = swiftForTests();

  test("T40 stores and serves contents", async () => {
    const bucket = await s3().newBucket();
    const proxy = await openUnsteadyProxy(s3().endpoint);
    const args = [...alone, "--s3-endpoint", proxy.endpoint];
    const staging = await startStaging(args, { store: `s3://${bucket}`, env: { ...s3().env } });
    const contents = [someBytes(20 * 1024 * 1024), someBytes(1000, 2), someBytes(9 * 1024 * 1024, 3)];
    const bundles = await Promise.all(contents.map((bytes) => stageBundle(staging, bytes)));
    for (const [index, { path, reader }] of bundles.entries()) {
      const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
      expect(got.status).toBe(200);
      expect(got.body.equals(contents[index] ?? Buffer.alloc(0))).toBe(true);
    }
    expect(proxy.failures()).toBeGreaterThan(2);
  });
});
