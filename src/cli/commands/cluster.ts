import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { isHelpRequest } from "../parse-options.ts";

const clusterUsage = `Usage: firesteel cluster <command> [options]

A Kubernetes cluster on this machine, in the background, that outlives the command that starts it.

  start    starts it, with the objects it had (fine when it runs)
  stop     ends it and its pods; its objects stay for the next start (fine when it does not run)
  delete   stops it and removes it with all its objects (fine when there is none)
  status   tells whether it runs; exit code 1 when it does not
  image    load FILE, list, remove NAME: images of your own, which pods then run on
  ui       tells where a running driver serves its UI: of a pod or an application, default: the youngest
  chaos    makes it go wrong on demand, and right again: firesteel cluster chaos --help
  env      prints what a shell needs for kubectl: eval "$(firesteel cluster env)"

Options:
  --name NAME             another cluster than "default"; spark-submit --master k8s://embedded uses "default"
  --json                  start, status, ui, image load, image list: the facts as JSON
  --tag NAME              image load: a name for the image
  --api-only              start: only the API; nothing runs pods
  --sandbox KIND          start: auto (default), bwrap, unshare, process or fake
  --spark-version VERSION start: the Spark that images default to, a release or a line
  --sync WHEN             start: when the disk has to have a change: always (before it is answered), interval
                          (default, within a second) or never; none of them loses one when only the cluster is killed
  --host-path FOLDER      start: pods may have folders below this one, and no others, as hostPath volumes; may be given
                          several times; default: your home, the temporary files and Firesteel's cache
  --no-overcommit         start: pods together may ask for no more than this machine has, and wait for one another
  --repair                start: keeps what can be read of damaged objects
`;

/** `firesteel cluster …`: gives the exit code. */
export async function runClusterCommand(host: Host, args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === "chaos" && isHelpRequest(rest)) {
    host.stdout.write((await import("./cluster/chaos-usage.ts")).chaosUsage);
    return 0;
  }
  if (command === undefined || isHelpRequest(args)) {
    (command === undefined ? host.stderr : host.stdout).write(clusterUsage);
    return command === undefined ? 1 : 0;
  }
  switch (command) {
    case "start":
      return await (await import("./cluster/start.ts")).startInBackground(host, rest);
    case "serve":
      return await (await import("./cluster/serve.ts")).serveCluster(host, rest);
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
    default:
      throw submitError("SUBMIT_ERR_COMMAND_UNKNOWN", {
        command: `cluster ${command}`,
        known: ["start", "stop", "delete", "status", "image", "ui", "chaos", "env"],
      });
  }
}
