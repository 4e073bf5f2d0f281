import type { ApplicationSubmission } from "../../applications/application-submission.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import type { KubeResource } from "../../kube/types.ts";
import { render } from "../../masters/render.ts";
import { seededHost } from "../../resolve/seeded-host.ts";
import { type DrySubmission, toDrySubmission } from "./dry-submission.ts";

/** Options of planning an application. */
interface DryOptions {
  readonly seed: string | undefined;
}

/**
 * Plans the submission of an application; no API is contacted.
 *
 * @throws SubmitError as a submission
 */
export async function dryApplication(
  host: Host,
  submit: (machine: Host) => ApplicationSubmission,
  { seed }: DryOptions,
): Promise<DrySubmission> {
  const machine = seed === undefined ? host : seededHost(host, seed);
  const submission = submit(machine);
  const rendered = await render(
    { ...submission, log: sparkLog(machine, "WARN"), issues: [] },
    {
      seed,
      openEmbedded: async (options) => (await import("./describe-embedded.ts")).describeEmbedded(host, options),
      extraSteps: submission.extraSteps,
    },
  );
  const dry = toDrySubmission(rendered);
  return {
    ...dry,
    objects() {
      const all = dry.objects();
      const objects = all.objects.map(({ part, object }) => ({
        part,
        object: inNamespace(object, dry.driver.namespace),
      }));
      return { ...all, objects };
    },
  };
}

/** Adds the namespace, which requests otherwise name, as the API does. */
function inNamespace(object: KubeResource, namespace: string): KubeResource {
  return { ...object, metadata: { namespace, ...object.metadata } };
}
