import { driverIdUsage, targetUsage } from "../operation-target.ts";

export const connectUsage = `Usage: firesteel connect <command> [options]

Run Spark Connect servers as driver pods.

  start    start a server, and forward its port
  list     list servers
  forward  forward the port of a running server
  stop     stop servers

For the options of a command, run: firesteel connect <command> --help
`;

const clusterUsage = `  -n, --namespace NAME    namespace (default: that of the kubeconfig)
  --context NAME          context of the kubeconfig (default: the current context)
  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig,
                          else the embedded one that runs)
  --conf, --properties-file and similar options are those of spark-submit
`;

export const usages = {
  start: `Usage: firesteel connect start [options]

Start a Spark Connect server as a driver pod, wait until it responds, forward a port of this machine to it, and print its
URL for pyspark --remote. An interrupt stops the server. Without clients, the server ends after the idle timeout, also
if this command was killed. The image of the driver needs Python.

Options:
  --idle-timeout DURATION  time without use after which the server ends, e.g. 2h; 0 is none (default: 30m)
  --detach                 forwarding in the background: this command ends when the server responds
  --port N                 port of 127.0.0.1; 0 is any free port (default: 15002, else any free port)
  --context NAME           context of the kubeconfig (default: the current context)
  --master URL             k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig, else the embedded one)
  --conf, --properties-file and similar options are those of spark-submit
`,
  list: `Usage: firesteel connect list [options]

List the Spark Connect servers in a cluster, the newest first, as firesteel ps lists applications.

Options:
  -A, --all-namespaces    servers of all namespaces
  --json                  one JSON object with a list servers
${clusterUsage}`,
  forward: `Usage: firesteel connect forward ID [options]

Forward a port of this machine to a Spark Connect server, and print its URL, until an interrupt or the server's end.

Options:
  --port N                port of 127.0.0.1; 0 is any free port (default: 15002, else any free port)
${targetUsage}${driverIdUsage}`,
  stop: `Usage: firesteel connect stop ID|--all [options]

Stop Spark Connect servers: delete their driver pods with all objects that these own.

Options:
  --all                   all servers of the namespace, also those that have ended
${targetUsage}${driverIdUsage}`,
} as const;
