import type { Behaviors } from "../conf/behaviors.ts";
import { checkedPrefixes } from "../conf/entries/checked-prefixes.ts";
import { type KubernetesMaster, parseKubernetesMaster } from "../plan/master.ts";
import type { ChosenMaster } from "./check-master.ts";
import type { FieldValues } from "./merge-fields.ts";
import type { ReadSettings } from "./read-settings.ts";

/** Inputs of the presumption of a master. */
interface PresumedInputs {
  readonly fields: FieldValues;
  readonly behaviors: Behaviors;
  readonly read: Pick<ReadSettings, "settings">;
}

const placeholder: KubernetesMaster = { master: "k8s://https://invalid", apiServer: "https://invalid", log: [] };

/** The embedded cluster, which has defaults that need no check. */
const embedded: KubernetesMaster = { master: "k8s://https://embedded", apiServer: "https://embedded", log: [] };

/**
 * Returns Kubernetes in cluster mode instead of an invalid master or deploy mode, if the submission seems to mean it: then the rest of
 * the submission can be checked, too. `undefined` for other submissions.
 */
export function presumedMaster({ fields, behaviors, read: { settings } }: PresumedInputs): ChosenMaster | undefined {
  const text = fields.get("master")?.value ?? "";
  const { kubernetes: prefix } = checkedPrefixes;
  const isKubernetes = text.startsWith("k8s") || [...settings.keys()].some((key) => key.startsWith(prefix));
  const mode = fields.get("deployMode")?.value ?? "client";
  if (!isKubernetes || mode === "client") return undefined;
  const parsed = parseKubernetesMaster(text, behaviors);
  const isMisspelled = !parsed.ok && parsed.issues.some(({ code }) => code === "SUBMIT_ERR_MASTER_MISSPELLED");
  const kubernetes = parsed.ok ? parsed.value : isMisspelled ? embedded : placeholder;
  return { text, manager: "kubernetes", mode: "cluster", strategy: "kubernetes", kubernetes };
}
