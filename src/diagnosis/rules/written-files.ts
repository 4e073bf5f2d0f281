import { findLine, logEvidence, podEvidence } from "../evidence.ts";
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

/**
 * Line with which a driver reports that a job has written its files.
 *
 * Source: Spark FileFormatWriter, SparkHadoopWriter; logs of drivers of Spark 3.5.9 and 4.3.0.
 */
const committedJob = /\b(?:FileFormatWriter|SparkHadoopWriter): Write Job \S+ committed/;

/** Directories that are empty in a new pod: a path in them can only be one that the application writes. */
const emptyDirectory = /^(?:file:\/*)?(\/(?:tmp|var\/tmp|opt\/spark\/work-dir)\/[^\s,]+)$/;

const writtenArgument: Rule = {
  cause: "pod-file-written",
  seen: "`Write Job … committed` in the driver log of an application whose only address is an argument in a directory without a volume, such as /tmp",
  remedy: "Write to storage that all pods share, such as s3a://…, or a volume: see --mount.",
  find: ({ driver, stage }) => {
    if (driver === undefined || stage !== "endedWell") return undefined;
    const found = findLine(programLines(driver.main.log), committedJob);
    const addresses = applicationArguments(driver).filter((text) => /^(?:\/|[a-z][\w+.-]*:\/)/i.test(text));
    const [address = ""] = addresses;
    const path = emptyDirectory.exec(address)?.[1];
    if (found === undefined || addresses.length !== 1 || path === undefined || isMounted(driver, path))
      return undefined;
    return {
      message: `The application writes files, and its argument ${path} is a path inside its pods without a volume: each pod has its own file system, whose files end with the pod.`,
      nextStep: sharedStorage,
      evidence: [logEvidence(driver.main, found.line), podEvidence("driver", address)],
      isTerminal: false,
    };
  },
};

/** Returns the arguments after the application in the command of the driver. */
function applicationArguments({ main }: PodView): readonly string[] {
  const args = main.spec?.args ?? [];
  const application = args.findIndex(
    (text, index) => index > 0 && !text.startsWith("-") && !args[index - 1]?.startsWith("--"),
  );
  return application === -1 ? [] : args.slice(application + 1);
}

function podsOf({ driver, executors }: View): readonly PodView[] {
  return driver === undefined ? executors : [...executors, driver];
}

/** Rules for files that an application writes into its pods. They come last: nothing else is wrong. */
export const writtenFileRules: readonly Rule[] = [written, writtenArgument];
