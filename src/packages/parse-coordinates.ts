import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import { exactVersion } from "./ivy-version.ts";
import type { ModuleRevision } from "./module-revision.ts";

/**
 * Parses the Maven coordinates of `--packages`: `group:artifact:version` or `group/artifact:version`, separated by commas.
 *
 * Source: Spark MavenUtils, whose error messages are used. Spark stops at the first; this reports all.
 */
export function parseCoordinates(text: string): Result<readonly ModuleRevision[]> {
  const issues: Issue[] = [];
  const revisions = text.split(",").flatMap((part) => {
    const parts = part.replaceAll("/", ":").split(":");
    const [group = "", artifact = "", version = ""] = parts;
    if (parts.length !== 3) {
      issues.push(issue("SUBMIT_ERR_PACKAGE_COORDINATE", { coordinate: part }));
      return [];
    }
    for (const [name, value] of [
      ["groupId", group],
      ["artifactId", artifact],
      ["version", version],
    ] as const) {
      if (value.trim() === "") issues.push(issue("SUBMIT_ERR_PACKAGE_PART_BLANK", { name, value }));
    }
    return [{ group, artifact, version: exactVersion(version) }];
  });
  return unlessIssues(issues, revisions);
}

/** An excluded dependency; either part may be a glob, e.g. `org.apache.spark:spark-core_*`. */
export interface Exclusion {
  readonly group: string;
  readonly artifact: string;
}

/** Parses the exclusions of `--exclude-packages`: `group:artifact`, separated by commas. Ignores blank ones. */
export function parseExclusions(text: string): Result<readonly Exclusion[]> {
  const issues: Issue[] = [];
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const exclusions = parts.flatMap((part) => {
    const [group = "", artifact = "", ...rest] = part.trim().replaceAll("/", ":").split(":");
    if (group !== "" && artifact !== "" && rest.length === 0) return [{ group, artifact }];
    issues.push(issue("SUBMIT_ERR_PACKAGE_EXCLUSION", { exclusion: part }));
    return [];
  });
  return unlessIssues(issues, exclusions);
}
