import { type Issue, issue, type Result, success } from "../../errors/issue.ts";
import { schemaIssues } from "../read/read-application.ts";
import { mapOf, object, scalar } from "../schema/schema.ts";

/** Profiles of a file: settings by name and key. */
export interface ProfileFile {
  readonly path: string;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

const schema = object({ "profiles!": mapOf(mapOf(scalar)) });

/** Checks a file with profiles. Errors: SUBMIT_ERR_MANIFEST_FIELD, SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN, SUBMIT_ERR_MANIFEST_RULE. */
export function readProfiles(path: string, value: unknown): Result<ProfileFile> {
  const issues = schemaIssues(path, value, schema);
  if (!hasProfiles(value, issues)) return { ok: false, issues };
  const wrong = Object.entries(value.profiles).flatMap(([name, settings]) =>
    Object.keys(settings)
      .filter((key) => !/^spark\../.test(key))
      .map((key) => {
        const problem = "is not the key of a setting";
        const advice = "Use the keys of --conf, such as spark.executor.memory.";
        return issue("SUBMIT_ERR_MANIFEST_RULE", { file: path, path: `profiles.${name}.${key}`, problem, advice });
      }),
  );
  return wrong.length > 0 ? { ok: false, issues: wrong } : success({ path, profiles: value.profiles });
}

function hasProfiles(value: unknown, issues: readonly Issue[]): value is Pick<ProfileFile, "profiles"> {
  return typeof value === "object" && issues.length === 0;
}
