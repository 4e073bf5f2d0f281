import type { Host } from "../../host/host.ts";
import { selectCommand } from "../select-command.ts";

/** Runs `firesteel cluster`. @returns the exit code */
export async function runClusterCommand(host: Host, args: readonly string[]): Promise<number> {
  const [name, ...others] = args;
  // `cluster start` runs this in the background. The help does not show it.
  if (name === "serve") return await (await import("./cluster/serve.ts")).serveCluster(host, others);
  if (name === "chaos") return await (await import("./cluster/chaos.ts")).runChaosCommand(host, others);
  if (name === "image") return await (await import("./cluster/image.ts")).runImageCommand(host, others);
  const { clusterUsage, clusterUsages } = await import("./cluster/usages.ts");
  const selected = selectCommand(host, args, {
    ...{ group: "cluster", usage: clusterUsage, usages: clusterUsages, groups: ["image", "chaos"] },
  });
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
  }
}
