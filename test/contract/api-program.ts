import { nodeHost } from "../../src/host/node-host.ts";
import { startCluster } from "../../src/local-cluster/index.ts";

// A program that the tests start with little memory: a cluster without a node.
const [directory = ""] = process.argv.slice(2);
const host = nodeHost();
const { kubeconfig } = await startCluster(host, {
  ...{ directory, apiOnly: true, sandbox: "fake", sparkHomes: [], javaHome: undefined },
});
host.stdout.write(`${JSON.stringify(kubeconfig)}\n`);
