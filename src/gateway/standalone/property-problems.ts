import { coresMax } from "../../conf/entries/app.ts";
import { driverCores, driverMemory, driverSupervise } from "../../conf/entries/driver.ts";
import { executorMemory } from "../../conf/entries/executor.ts";
import { type SparkLine, traitsOf } from "../../conf/spark-version.ts";
import { parseByteSize } from "../../values/byte-size.ts";
import { parseJavaInt } from "../../values/java-number.ts";

/**
 * Checks the properties that a master checks. Returns a sentence for each invalid one.
 *
 * Source: Spark CreateSubmissionRequest.doValidate.
 */
export function propertyProblems(properties: Readonly<Record<string, string>>, line: SparkLine): readonly string[] {
  const isSize = (text: string) =>
    parseByteSize(text, { unit: "MiB", binarySuffixes: traitsOf(line).binarySizeSuffixes }).ok;
  const rules: readonly (readonly [string, (text: string) => boolean, string])[] = [
    [driverSupervise.key, (text) => /^(?:true|false)$/i.test(text), "true or false"],
    [driverCores.key, isInteger, "a whole number"],
    [coresMax.key, isInteger, "a whole number"],
    [driverMemory.key, isSize, "a size such as 512m"],
    [executorMemory.key, isSize, "a size such as 512m"],
  ];
  return rules.flatMap(([key, isValid, allowed]) => {
    const value = properties[key];
    if (value === undefined || isValid(value)) return [];
    return [`sparkProperties: ${key} must be ${allowed}, not ${JSON.stringify(value)}.`];
  });
}

function isInteger(text: string): boolean {
  return parseJavaInt(text) !== undefined;
}
