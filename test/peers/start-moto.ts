import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { type Bucket, openBucket } from "../../src/s3/bucket.ts";
import { available } from "../requirements.ts";
import { call, fetchPeer } from "./fetch-peer.ts";

/** Independent S3 server with conditional writes. */
export const moto = fetchPeer("moto-5", "Python 3.10 with venv", (directory) => {
  call("python3", ["-m", "venv", join(directory, "venv")]);
  call(join(directory, "venv", "bin", "pip"), ["install", "--quiet", "moto[s3,server]>=5,<6"]);
});

/**
 * Starts the server with a bucket `bucket`, until the end of the test.
 *
 * @param env settings of moto: after `INITIAL_NO_AUTH_ACTION_COUNT=1`, it checks the credentials of all requests after the creation of
 * the bucket, and knows none
 */
export async function startMoto(env: Readonly<Record<string, string>> = {}): Promise<{
  readonly endpoint: string;
  readonly port: number;
  readonly bucket: Bucket;
}> {
  const program = fileURLToPath(new URL("moto_server.py", import.meta.url));
  const child = spawn(join(available(moto).directory, "venv", "bin", "python"), [program], {
    // The host name is not that of a bucket.
    env: { ...process.env, ...env, S3_IGNORE_SUBDOMAIN_BUCKETNAME: "true" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(Number(String(chunk))));
    child.on("error", reject).on("close", () => reject(new Error("moto ended")));
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const bucket = openBucket(nodeHost(), {
    ...{ bucket: "bucket", endpoint: new URL(endpoint), isPathStyle: true, region: "us-east-1" },
    credentials: async () => ({ accessKeyId: "a", secretAccessKey: "s" }),
  });
  onTestFinished(() => bucket.close());
  await bucket.put("", "");
  return { endpoint, port, bucket };
}
