import { context as contextEntry } from "../conf/entries/submission.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { orThrow, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type FieldInputs, resolveField } from "./resolve-field.ts";
import { resolveSparkVersion } from "./resolve-spark-version.ts";

/** Returns the specified master, e.g. `k8s://https://10.0.0.1:6443`; `undefined` if there is none. */
export function specifiedMaster(inputs: FieldInputs): string | undefined {
  return resolveField("master", inputs)?.value;
}

/**
 * Returns the specified master, or by default the cluster of the kubeconfig, as kubectl chooses it.
 *
 * @throws SUBMIT_ERR_MASTER_MISSING if there is neither
 */
export async function specifiedOrDefaultMaster(host: Host, inputs: FieldInputs): Promise<string> {
  const specified = specifiedMaster(inputs);
  if (specified !== undefined) return specified;
  const { readKubeconfig } = await import("../kube-client/auth/kubeconfig.ts");
  const { line } = orThrow(resolveSparkVersion({ ...inputs, localSpark: () => undefined }));
  const { mergesKubeconfigs, unknownContextFallsBack } = traitsOf(line);
  const kubeconfig = await readKubeconfig(host, {
    context: inputs.settings.get(contextEntry.key)?.value,
    mergesFiles: mergesKubeconfigs,
    unknownContextFallsBack,
    rules: "kubectl",
    log: () => {},
  });
  const server = kubeconfig?.cluster?.text("server");
  if (server === undefined) throw submitError("SUBMIT_ERR_MASTER_MISSING", {});
  return `k8s://${server}`;
}
