import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { selectCommand } from "../select-command.ts";
import { connectUsage, usages } from "./connect/usages.ts";

/** Runs `firesteel connect`. @returns the exit code */
export async function runConnectCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  const { command, rest, exitCode } = {
    ...{ rest: [], exitCode: 0 },
    ...selectCommand(host, args, { group: "connect", usage: connectUsage, usages }),
  };
  const call = { host, args: rest, openClient };
  switch (command) {
    case undefined:
      return exitCode;
    case "start":
      return (await import("./connect/start.ts")).startConnectServer(call);
    case "list":
      return (await import("./connect/list.ts")).listConnectServers(call);
    case "forward":
      return (await import("./connect/forward.ts")).forwardConnectServer(call);
    case "stop":
      return (await import("./connect/stop.ts")).stopConnectServers(call);
  }
}
