import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import {
  addCommonSettings,
  addConf,
  addDriverSettings,
  addDynamicAllocation,
  addExecutorSettings,
  addRoleSettings,
  submissionFields,
} from "./application-settings.ts";
import { batchSchedulerName } from "./batch-scheduler-name.ts";
import { driverStep, ownedObjects } from "./driver-step.ts";
import { FieldSettings } from "./field-settings.ts";
import { addLocalDirectories } from "./local-directories.ts";
import { addMonitoringSettings } from "./monitoring.ts";
import { podIssues } from "./pod-issues.ts";
import { containerNames, roleTemplate } from "./role-template.ts";
import { addBatchScheduler } from "./schedulers/batch-schedulers.ts";
import { roleFields, type Translation, type TranslationInput } from "./translation.ts";
import { translationWarnings } from "./translation-warnings.ts";

/** Form of the driver's fields: changes of the finished pod, or a template, which cannot express all of them. */
export type DriverForm = "step" | "template";

/**
 * Translates an application into a submission as the Spark operator does, without its webhook: into settings, pod templates and changes of
 * the finished driver.
 *
 * Errors, in `issues`: SUBMIT_ERR_MANIFEST_RULE. Source: Kubeflow Spark operator 2.5.2.
 */
export function translateApplication(
  input: TranslationInput,
  { driver = "step" }: { readonly driver?: DriverForm } = {},
): Translation {
  const settings = new FieldSettings(input.file);
  const { spec } = input;
  addCommonSettings(settings, input);
  addConf(settings, spec);
  addDriverSettings(settings, input);
  addRoleSettings(settings, input, "driver");
  const driverIssues = addLocalDirectories(settings, input, "driver");
  addRoleSettings(settings, input, "executor");
  addExecutorSettings(settings, spec.executor);
  const executorIssues = addLocalDirectories(settings, input, "executor");
  settings.putAll(fieldKeys.nodeSelector, spec.nodeSelector, "spec.nodeSelector");
  addDynamicAllocation(settings, spec.dynamicAllocation);
  addMonitoringSettings(settings, input);
  const scheduler = addBatchScheduler(settings, input);
  for (const role of ["driver", "executor"] as const) addScheduler(settings, input, role);
  const executors = roleTemplate(settings, input, "executor");
  const drivers =
    driver === "template"
      ? roleTemplate(settings, input, "driver")
      : { text: templateText(spec.driver.template), warnings: [] };
  const templates = { driver: drivers.text, executor: executors.text };
  for (const role of ["driver", "executor"] as const) {
    settings.put(fieldKeys[role].templateContainer, containerNames[role], `spec.${role}.template`);
  }
  return {
    fields: submissionFields(input),
    settings: settings.list(),
    resource: spec.mainApplicationFile,
    appArgs: spec.arguments ?? [],
    templates,
    driverStep: driverStep(input, scheduler.objects),
    objects: (appId) => [...scheduler.objects, ...ownedObjects(input, appId)],
    warnings: [...translationWarnings(input), ...drivers.warnings, ...executors.warnings],
    issues: [...driverIssues, ...executorIssues, ...scheduler.issues, ...podIssues(input)],
  };
}

/** Adds the scheduler of a role as a setting: Spark's settings take precedence over a template. */
function addScheduler(settings: FieldSettings, input: TranslationInput, role: Role): void {
  const batchScheduler = batchSchedulerName(input);
  const path = batchScheduler === undefined ? `spec.${role}.schedulerName` : "spec.batchScheduler";
  settings.set(fieldKeys[role].schedulerName, batchScheduler ?? roleFields(input, role).schedulerName, path);
}

function templateText(template: unknown): string | undefined {
  return template === undefined ? undefined : JSON.stringify(template, undefined, 2);
}
