import { podTemplateFile } from "../../conf/entries/driver.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { parseTemplate, reasonOf } from "../../resolve/read-template.ts";
import { seededIds } from "../../resolve/seeded-ids.ts";

/** What an executor takes besides its driver: the template's value, and what makes its names unique. */
export interface ExecutorSources {
  /** Parsed; still to be checked. */
  readonly template: unknown;
  /** As in `SubmissionIds`. */
  readonly uniqueIds: { readonly resourceNamePrefix: string; readonly confMap: string };
}

/**
 * Parses what only the driver will look at, and makes ids as the driver will: by chance, or of a seed.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE.
 */
export async function readExecutorSources(
  host: Host,
  { conf, facts, behaviors }: DriverConf,
  seed?: string,
): Promise<Result<ExecutorSources>> {
  const { uniqueIds } = seededIds(`executors of ${seed ?? host.random.uuid()}`);
  const text = facts.executorTemplateText;
  try {
    const template = text === undefined ? undefined : await parseTemplate(text, behaviors);
    return success({ template, uniqueIds });
  } catch (error) {
    const path = conf.get(podTemplateFile.executor) ?? "";
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason: reasonOf(error) });
  }
}
