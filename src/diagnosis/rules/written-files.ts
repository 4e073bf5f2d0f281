import { findLine, logEvidence } from "../evidence.ts";
import type { PodView } from "../pod-view.ts";
import { programLines } from "../program-lines.ts";
import type { Rule } from "../rule.ts";
import type { View } from "../view.ts";
import { sharedStorage } from "./log-rows/pod-files.ts";
import { isMounted } from "./mounted-path.ts";

/**
 * Line with which Hadoop's committer reports the output of a task, with the directory of the job's result.
 *
 * Source: Hadoop FileOutputCommitter; logs of executors of Spark 3.5.9 and 4.3.0.
 */
const savedOutput = /\bFileOutputCommitter: Saved output of task '[^']*' to file:(\/[^\s]+)/;

const written: Rule = {
  cause: "pod-file-written",
  seen: "`Saved output of task … to file:/…` in the log of the pod that wrote, where no volume is mounted; also after success",
  remedy: "Write to storage that all pods share, such as s3a://…, or a volume: see --mount.",
  find: (view) => {
    const { stage } = view;
    if (stage !== "running" && stage !== "endedWell") return undefined;
    for (const pod of podsOf(view)) {
      const found = findLine(programLines(pod.main.log), savedOutput);
      const path = found?.match[1]?.replace(/\/_temporary\/.*$|\/$/g, "");
      if (found === undefined || path === undefined || isMounted(pod, path)) continue;
      return {
        message: `The application writes ${path} inside its pods, and no volume is mounted there: each pod has its own file system, whose files end with the pod.`,
        nextStep: sharedStorage,
        evidence: [logEvidence(pod.main, found.line)],
        // A running application may still copy the files to another location.
        isTerminal: false,
      };
    }
    return undefined;
  },
};

function podsOf({ driver, executors }: View): readonly PodView[] {
  return driver === undefined ? executors : [...executors, driver];
}

/** Rules for files that an application writes into its pods. They come last: nothing else is wrong. */
export const writtenFileRules: readonly Rule[] = [written];
