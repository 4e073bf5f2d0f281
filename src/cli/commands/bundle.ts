import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { WrittenBundle } from "../../masters/kubernetes/bundle-driver.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";
import { withTargetDriver } from "./with-target-driver.ts";

const usage = `Usage: firesteel bundle ID [options]

Save the logs, events and pods of an application and its diagnosis in one file, without secrets. To read the diagnosis from the file, use
firesteel diagnose FILE.

Options:
  -o, --output FILE       file to write, .tar.gz (default: <application ID>.tar.gz in the working directory)
  --json                  one JSON object with the path and the content of bundle.json
${targetUsage}${driverIdUsage}`;

/** Runs `firesteel bundle`. @returns the exit code */
export async function runBundleCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const target = parseTarget(args, { flags: ["--json"], values: ["-o", "--output"] });
  const output = target.value("--output") ?? target.value("-o");
  const written = await withTargetDriver(host, { command: "bundle", target, openClient }, async (reached) => {
    const { bundleDriver } = await import("../../masters/kubernetes/bundle-driver.ts");
    const { client, log, pod } = reached;
    return bundleDriver({ host, client, log, pod, output });
  });
  host.stdout.write(target.has("--json") ? `${JSON.stringify(bundleJson(written))}\n` : printBundle(written));
  return exitCodes.ok;
}

function bundleJson({ path, manifest }: WrittenBundle) {
  return { path, ...manifest };
}

function printBundle({ path, manifest }: WrittenBundle): string {
  const { pods, missing } = manifest;
  const logs = pods.flatMap((pod) => pod.logs);
  const lines = [
    `Saved ${pods.length} pods and ${logs.length} logs in ${path}`,
    ...missing.map(({ what, reason }) => `Missing: ${what}. ${reason}`),
  ];
  return lines.map((line) => `${visibleLine(line)}\n`).join("");
}
