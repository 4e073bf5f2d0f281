import { volcanoPodGroupTemplateFile, volcanoPodGroupTemplateJson } from "../conf/entries/driver.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import { isAddedStep, stepNames } from "../plan/feature-steps.ts";
import { parseTemplate, reasonOf } from "./parse-template.ts";
import type { TemplateSource } from "./read-template.ts";

/**
 * Reads and parses the template of Volcano's PodGroup, from a plain path or from JSON in a setting. The feature step checks
 * its content.
 *
 * Errors: SUBMIT_ERR_POD_GROUP_TEMPLATE. Source: Spark VolcanoFeatureStep.
 */
export async function readPodGroupTemplate(host: Host, { conf, behaviors }: TemplateSource): Promise<Result<unknown>> {
  if (!isAddedStep(conf, stepNames.volcano)) return success(undefined);
  const path = conf.get(volcanoPodGroupTemplateFile);
  const json = conf.get(volcanoPodGroupTemplateJson);
  if (path === undefined && json === undefined) return success(undefined);
  const { key } = path === undefined ? volcanoPodGroupTemplateJson : volcanoPodGroupTemplateFile;
  try {
    const text = path === undefined ? json : readText(host, path);
    if (text === undefined) {
      return failure("SUBMIT_ERR_POD_GROUP_TEMPLATE", { key, reason: `${path} (No such file or directory)` });
    }
    return success(await parseTemplate(text, behaviors));
  } catch (error) {
    return failure("SUBMIT_ERR_POD_GROUP_TEMPLATE", { key, reason: reasonOf(error) });
  }
}

function readText({ files, cwd }: Host, path: string): string | undefined {
  return files.readText(absolutePath({ cwd }, path));
}
