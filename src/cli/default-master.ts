import { hasCode } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { embeddedMaster } from "../resolve/embedded-name.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { specifiedMaster, specifiedOrDefaultMaster } from "../resolve/specified-master.ts";
import { findClusterProcess, findRunningCluster, listClusterRecords } from "./cluster-record.ts";

/**
 * Returns the specified master, or by default the cluster of the kubeconfig, else the embedded one. A background cluster that the
 * kubeconfig names is addressed as an embedded one: then its image and its account are the defaults of the submission.
 */
export async function specifiedOrEmbeddedMaster(host: Host, commandLine: CommandLineSettings): Promise<string> {
  const { settings } = readSettings(host, commandLine);
  const inputs = { commandLine, settings, env: host.env };
  const specified = specifiedMaster(inputs);
  if (specified !== undefined) return specified;
  try {
    const master = await specifiedOrDefaultMaster(host, inputs);
    const record = listClusterRecords(host).find(({ url }) => master === `k8s://${url}`);
    const running = record && (await findRunningCluster(host, record.name));
    return running === undefined ? master : embeddedMaster(running.name);
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_MASTER_MISSING")) return embeddedMaster("default");
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
    return { ...commandLine, fields: { ...commandLine.fields, master: embeddedMaster("default") } };
  }
}
