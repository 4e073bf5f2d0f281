import { nodeHost } from "../../../src/host/node-host.ts";
import { startCluster } from "../../../src/local-cluster/index.ts";
import { createTestNamespace, isTerminated } from "../test-namespace.ts";
import { greetFunction, greeting, python } from "./greeters.ts";

// A program that a test runs as another user: a cluster with two pods that listen at port 80, and one that connects to them and to a port
// of this machine. Prints the network and what that pod received, and then waits until it is killed.
const [choice, directory = "", port = ""] = process.argv.slice(2);
const sandbox = choice === "unshare" ? "unshare" : "bwrap";
const host = nodeHost();
const options = { directory, sandbox, apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
const cluster = await startCluster(host, options);
const space = await createTestNamespace({ transport: cluster.transport, image: "debian:12", close: async () => {} });
const calls = [`greet('host.firesteel.internal', ${port})`];
for (const name of ["one", "two"]) {
  await space.pod(name, { containers: [greeting("a", { port: 80, greeting: name })] });
  const { status } = await space.until(name, (pod) => pod.status?.phase === "Running");
  const spec = { selector: { app: name }, ports: [{ port: 80 }] };
  await space.create("services", { kind: "Service", metadata: { name }, spec });
  calls.push(`greet('${status?.podIP}', 80)`, `greet('${name}', 80)`);
}
await space.pod("client", { containers: [python("a", greetFunction, ...calls)] });
await space.until("client", isTerminated);
const log = await space.log("client");
host.stdout.write(`${JSON.stringify({ network: cluster.network, notices: cluster.notices, log })}\n`);
