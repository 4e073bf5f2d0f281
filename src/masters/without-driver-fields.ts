import { visibleLine } from "../host/visible-text.ts";

/**
 * Removes the colon of each `exit code: N` and `pod name: NAME` of a quoted text: tools take the last ones of the output for those of
 * the driver.
 *
 * Source: Airflow, SparkSubmitHook._process_spark_submit_log, which searches in whole lines.
 */
export function withoutDriverFields(text: string): string {
  return text.replace(/(exit code(?=:\s*\d)|pod name(?=:\s)):/gi, "$1");
}

/** Keeps a quoted text in its line, without fields of the driver. */
export function quotedLine(text: string): string {
  return withoutDriverFields(visibleLine(text));
}
