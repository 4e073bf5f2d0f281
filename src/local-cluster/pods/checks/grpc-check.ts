import { connect } from "node:http2";
import { Socket } from "node:net";
import type { CheckResult, CheckTarget } from "./check.ts";

const framePrefixBytes = 5;
const serving = 1;

/**
 * Probes a container by gRPC's health checking protocol; ok when it reports that the service is SERVING.
 *
 * Source: grpc.health.v1.Health/Check: field 1 of the request is the service's name, of the response its status.
 */
export async function grpcCheck(
  target: CheckTarget,
  { port, service }: { readonly port: number; readonly service?: string | null },
  timeoutMs: number,
): Promise<CheckResult> {
  const { address, clock } = target;
  // A server that does not listen yet may still do so before the timeout: the check then waits on an unconnected socket.
  const socket = await target.connect(address, port).catch(() => new Socket());
  return new Promise((resolve) => {
    const session = connect(`http://${address}:${port}`, { createConnection: () => socket });
    const end = (result: CheckResult) => {
      cancel();
      session.destroy();
      resolve(result);
    };
    const fail = (output: string) => end({ isOk: false, output });
    let isConnected = false;
    const cancel = clock.after(timeoutMs, () => {
      const what = isConnected ? "health rpc did not complete" : `failed to connect service "${address}:${port}"`;
      fail(`timeout: ${what} within ${timeoutMs / 1000}s: context deadline exceeded`);
    });
    session.on("connect", () => {
      isConnected = true;
    });
    // Ignore connection errors: the server may still come up before the timeout.
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      "user-agent": "kube-probe/1.35",
      te: "trailers",
    });
    const chunks: Uint8Array[] = [];
    stream.on("error", () => {});
    stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    stream.on("end", () => {
      if (chunks.length === 0) return;
      const status = parseServingStatus(Buffer.concat(chunks).subarray(framePrefixBytes));
      if (status === serving) end({ isOk: true, output: "service healthy" });
      else fail(`service unhealthy (responded with "${statusNames[status] ?? "SERVICE_UNKNOWN"}")`);
    });
    stream.end(healthCheckRequest(service ?? ""));
  });
}

const statusNames = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

function healthCheckRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const prefix = Buffer.alloc(framePrefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Parses the status; an absent field is 0, UNKNOWN. */
function parseServingStatus(message: Buffer): number {
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}
