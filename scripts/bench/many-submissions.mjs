/**
 * Submits many times from one process, then sends as many bare requests to the same API with Node's own client, and prints the rates as
 * JSON: `many-submissions.mjs COUNT CONCURRENCY CA_FILE <spark-submit arguments>`.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { nodeHost, parseCommandLine, sharedConnections, submit } from "firesteel";

const [count, concurrency, authority, ...args] = process.argv.slice(2);
const { hostname, port } = new URL(args[args.indexOf("--master") + 1].replace("k8s://", ""));

/** Sizes of the bodies that a submission sends. */
const sizes = [1200, 900, 3000, 4500, 1500, 1200, 3300];

async function rateOf(total, work) {
  const numbers = Array.from({ length: total }).values();
  const worker = async () => {
    for (const _ of numbers) await work();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  return (total * 1000) / (performance.now() - start);
}

const { openClient, close } = sharedConnections();
const host = nodeHost();
const submitOne = () => submit({ host, invocation: parseCommandLine(args, "4.3").value, openClient, log: () => {} });

const agent = new Agent({ keepAlive: true, maxSockets: Number(concurrency), ca: readFileSync(authority) });
let sent = 0;
const sendOne = () =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ metadata: { name: "x" }, data: "x".repeat(sizes[sent++ % sizes.length]) });
    const headers = { "content-type": "application/json", "content-length": body.length };
    const sending = request({ hostname, port, agent, method: "POST", path: "/api/v1/x", headers }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
    });
    sending.on("error", reject).end(body);
  });

// Warm up both.
await rateOf(50, submitOne);
await rateOf(350, sendOne);
const before = process.cpuUsage();
const submissionsPerSecond = await rateOf(Number(count), submitOne);
const { user, system } = process.cpuUsage(before);
const bareRequestsPerSecond = await rateOf(Number(count) * sizes.length, sendOne);
const report = {
  submissionsPerSecond,
  submissionCpuMs: (user + system) / 1000 / Number(count),
  requestsPerSecond: submissionsPerSecond * sizes.length,
  bareRequestsPerSecond,
  peakMemoryKiB: process.resourceUsage().maxRSS,
};
console.log(JSON.stringify(report));
close();
agent.destroy();
