import type { Host } from "../../host/host.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { selectCommand } from "../select-command.ts";

const clusterUsage = `Usage: firesteel cluster <command> [options]

Manage a Kubernetes cluster on this machine. It runs in the background after the command has ended.

  start    start the cluster with its objects from the last run; succeed if it is running
  stop     stop the cluster and its pods, and keep its objects; succeed if it is not running
  delete   stop the cluster and delete it with all its objects; succeed if it does not exist
  status   print the status; exit with 1 if the cluster is not running
  image    load FILE, list, remove NAME: manage your own images for pods
  ui       print the URL of the UI of a running driver: a pod, an application, or the newest driver
  chaos    inject faults: firesteel cluster chaos --help
  env      print the environment for kubectl: eval "$(firesteel cluster env)"

Options:
  --name NAME             cluster name (default: default, which spark-submit --master k8s://embedded uses)
  --json                  JSON output (start, status, ui, image load, image list)
  --tag NAME              name for the image (image load)

Options of start:
  --api-only              API without a node: no pod runs
  --sandbox MODE          sandbox of the containers: auto, bwrap, unshare, process or fake (default: auto)
  --network MODE          network of pods: pod (one each, if this machine allows it) or shared (this machine's) (default: pod)
  --spark-version VERSION default Spark version of images, a release or a release line
  --sync MODE             time at which a change is on disk: always (before the response), interval (within a second) or
                          never (default: interval); if only the cluster is killed, no mode loses a change
  --host-path DIR         directory allowed for hostPath volumes, with the directories below it; can be repeated
                          (default: your home, the directory for temporary files and Firesteel's cache)
  --no-overcommit         limit of the pods' total requests to what this machine has; further pods wait
  --repair                recovery of the readable part of damaged objects
  --shuffle-service       the shuffle service for executors, at the node's address
  --shuffle-port PORT     its port; 0 is any free port (default: 7337)
  --shuffle-properties FILE
                          its Spark properties, such as spark.authenticate (default: no authentication)
`;

const commands = ["start", "stop", "delete", "status", "image", "ui", "chaos", "env"] as const;

/** Runs `firesteel cluster`. @returns the exit code */
export async function runClusterCommand(host: Host, args: readonly string[]): Promise<number> {
  const [name, ...others] = args;
  // `cluster start` runs this in the background. The help does not show it.
  if (name === "serve") return await (await import("./cluster/serve.ts")).serveCluster(host, others);
  if (name === "chaos" && isHelpRequest(others)) {
    host.stdout.write((await import("./cluster/chaos-usage.ts")).chaosUsage);
    return 0;
  }
  const selected = selectCommand(host, args, { group: "cluster", usage: clusterUsage, commands });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  switch (command) {
    case "start":
      return await (await import("./cluster/start.ts")).startInBackground(host, rest);
    case "stop":
      return await (await import("./cluster/stop.ts")).stopCluster(host, rest);
    case "delete":
      return await (await import("./cluster/delete.ts")).deleteCluster(host, rest);
    case "status":
      return await (await import("./cluster/status.ts")).showClusterStatus(host, rest);
    case "env":
      return await (await import("./cluster/env.ts")).printClusterEnvironment(host, rest);
    case "ui":
      return await (await import("./cluster/ui.ts")).showUi(host, rest);
    case "image":
      return await (await import("./cluster/image.ts")).runImageCommand(host, rest);
    case "chaos":
      return await (await import("./cluster/chaos.ts")).runChaosCommand(host, rest);
  }
}
