import { type Issue, issue } from "../../../../errors/issue.ts";
import { messageOf } from "../../../../errors/submit-error.ts";
import type { UploadTargets } from "./upload-targets.ts";

/** Removes directories of uploads. @returns an issue for each directory that could not be removed */
export async function removeDirectories(
  targets: UploadTargets,
  directories: readonly string[],
): Promise<readonly Issue[]> {
  const left: Issue[] = [];
  for (const directory of directories) {
    try {
      await (await targets.of(directory)).remove(directory);
    } catch (error) {
      left.push(issue("SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE", { directory, reason: messageOf(error) }));
    }
  }
  return left;
}
