import { context as contextEntry } from "../../conf/entries/submission.ts";
import { traitsOf } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type FieldInputs, resolveField } from "../../resolve/resolve-field.ts";
import { resolveSparkVersion } from "../../resolve/resolve-spark-version.ts";

/** The master as it was told, e.g. `k8s://https://10.0.0.1:6443`; `undefined` when it was not. */
export function specifiedMaster(sources: FieldInputs): string | undefined {
  return resolveField("master", sources)?.value;
}

/**
 * The same, and where it was not told, the cluster of the kubeconfig, as kubectl takes it.
 *
 * @throws SUBMIT_ERR_MASTER_MISSING where there is none
 */
export async function specifiedOrDefaultMaster(host: Host, sources: FieldInputs): Promise<string> {
  const told = specifiedMaster(sources);
  if (told !== undefined) return told;
  const { readKubeconfig } = await import("../../kube-client/auth/kubeconfig.ts");
  const { line } = orThrow(resolveSparkVersion({ ...sources, localSpark: () => undefined }));
  const { mergesKubeconfigs, unknownContextFallsBack } = traitsOf(line);
  const found = await readKubeconfig(host, {
    context: sources.settings.get(contextEntry.key)?.value,
    mergesFiles: mergesKubeconfigs,
    unknownContextFallsBack,
    rules: "kubectl",
    log: () => {},
  });
  const server = found?.cluster?.text("server");
  if (server === undefined) throw submitError("SUBMIT_ERR_MASTER_MISSING", {});
  return `k8s://${server}`;
}
