import { podTemplateFile } from "../../conf/entries/driver.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { parseTemplate, reasonOf } from "../../resolve/parse-template.ts";
import { seededIds } from "../../resolve/seeded-ids.ts";

/** Inputs of an executor besides its driver: the template and the unique IDs of its names. */
export interface ExecutorSources {
  /** Parsed template, not yet checked. */
  readonly template: unknown;
  /** As in `SubmissionIds`. */
  readonly uniqueIds: { readonly resourceNamePrefix: string; readonly confMap: string };
}

/**
 * Parses the executors' template, which otherwise only the driver parses. Makes IDs as the driver does: random ones, or
 * derived from a seed.
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
