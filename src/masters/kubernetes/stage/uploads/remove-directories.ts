import { type Issue, issue } from "../../../../errors/issue.ts";
import { messageOf } from "../../../../errors/submit-error.ts";
import type { UploadTargets } from "./upload-targets.ts";

/** Removes folders of uploads, as far as that can be done. @returns what stays */
export async function removeFolders(
  targets: UploadTargets,
  folders: readonly string[],
): Promise<readonly Issue[]> {
  const left: Issue[] = [];
  for (const folder of folders) {
    try {
      await (await targets.of(folder)).remove(folder);
    } catch (error) {
      left.push(
        issue("SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE", { directory: folder, reason: messageOf(error) }),
      );
    }
  }
  return left;
}
