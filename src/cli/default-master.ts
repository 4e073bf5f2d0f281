import { hasCode } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { specifiedMaster, specifiedOrDefaultMaster } from "../resolve/specified-master.ts";
import { findClusterProcess, findRunningCluster } from "./cluster-record.ts";

const embedded = "k8s://embedded";

/**
 * Returns the specified master, or by default the cluster of the kubeconfig, else the embedded one. The background cluster is the
 * embedded one, also if the kubeconfig names it: then its image and its account are the defaults of the submission.
 */
export async function specifiedOrEmbeddedMaster(host: Host, commandLine: CommandLineSettings): Promise<string> {
  const { settings } = readSettings(host, commandLine);
  const inputs = { commandLine, settings, env: host.env };
  const specified = specifiedMaster(inputs);
  if (specified !== undefined) return specified;
  try {
    const master = await specifiedOrDefaultMaster(host, inputs);
    const running = await findRunningCluster(host, "default");
    return running !== undefined && master === `k8s://${running.url}` ? embedded : master;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_MASTER_MISSING")) return embedded;
    throw error;
  }
}

/**
 * Selects the embedded cluster if it runs in the background, and neither a master nor a kubeconfig names another one: for commands
 * about what runs.
 */
export async function orRunningCluster(host: Host, commandLine: CommandLineSettings): Promise<CommandLineSettings> {
  if (commandLine.fields.master !== undefined || findClusterProcess(host, "default") === undefined) return commandLine;
  const { settings } = readSettings(host, commandLine);
  try {
    await specifiedOrDefaultMaster(host, { commandLine, settings, env: host.env });
    return commandLine;
  } catch (error) {
    if (!hasCode(error, "SUBMIT_ERR_MASTER_MISSING")) throw error;
    return { ...commandLine, fields: { ...commandLine.fields, master: embedded } };
  }
}
