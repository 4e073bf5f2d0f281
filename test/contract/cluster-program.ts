import { nodeHost } from "../../src/host/node-host.ts";
import { startCluster } from "../../src/local-cluster/index.ts";
import { createObject } from "./cluster-client.ts";

// A program that the test kills: a cluster with one pod, whose processes are identified by the marker argument.
const [choice, directory = "", marker = ""] = process.argv.slice(2);
const sandbox = choice === "bwrap" || choice === "unshare" ? choice : "process";
const host = nodeHost();
const cluster = await startCluster(host, {
  ...{ directory, sandbox, apiOnly: false, sparkHomes: [], javaHome: undefined },
}).catch((error: unknown) => {
  host.stdout.write(`refused: ${error}\n`);
  process.exit(0);
});
await createObject(cluster.transport, "pods", {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
  spec: {
    volumes: [{ name: "memory", emptyDir: { medium: "Memory" } }],
    containers: [
      {
        ...{ name: "a", image: "busybox:1", imagePullPolicy: "Never" },
        // One process stays in its group, one leaves it, one ignores signals.
        command: ["sh", "-c", `trap '' TERM HUP; setsid sleep ${marker} & sleep ${marker} & sleep ${marker}`],
        volumeMounts: [{ name: "memory", mountPath: "/memory" }],
      },
    ],
  },
});
host.stdout.write("started\n");
