import { jarsExcludes, jarsPackages } from "../../conf/entries/app.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { type Issue, issuesOf } from "../../errors/issue.ts";
import { parseCoordinates, parseExclusions } from "../../packages/parse-coordinates.ts";

/**
 * Reports coordinates of packages that the driver would reject after its start.
 *
 * Errors: SUBMIT_ERR_PACKAGE_COORDINATE, SUBMIT_ERR_PACKAGE_PART_BLANK, SUBMIT_ERR_PACKAGE_EXCLUSION.
 */
export function packageIssues(conf: SparkConf): readonly Issue[] {
  const packages = conf.readOrAbsent(jarsPackages);
  return [
    ...(packages.length === 0 ? [] : issuesOf(parseCoordinates(packages.join(",")))),
    ...issuesOf(parseExclusions(conf.readOrAbsent(jarsExcludes).join(","))),
  ];
}
