import type { LogRow } from "../log-row.ts";
import { isMounted } from "../mounted-path.ts";

const remedy = "Use storage that all pods share for files that several pods read or write: see --mount.";
/** Recommendation for files that several pods read or write. */
export const sharedStorage =
  "Use storage that all pods share: --mount SOURCE:/PATH for a directory of your machine on the embedded cluster, --mount pvc:NAME:/PATH, or s3a://….";
const own = "each pod has its own file system";

/** Driver log rows about files of the application in the file systems of pods. */
export const podFileRows: readonly LogRow[] = [
  {
    cause: "pod-file-unwritable",
    scope: "failure",
    pattern:
      /Mkdirs failed to create (?:file:)?(\/[^\s:(]+)|PermissionError: \[Errno 13\] Permission denied: '(\/[^']+)'|FileNotFoundException: (\/.+?) \(Permission denied\)|AccessDeniedException: (?:file:)?(\/[^\s:]+)/,
    remedy,
    explain: ({ match: [, ...paths], driver }) => {
      const path = firstOf(paths);
      if (isMounted(driver, path)) return undefined;
      return {
        message: `The application cannot write ${withoutTemporary(path)} in its pod: ${own}, in which Spark's user can write only a few directories.`,
        nextStep: sharedStorage,
      };
    },
  },
  {
    cause: "pod-file-missing",
    scope: "failure",
    pattern:
      /(?:Path|Input path) does not exist: file:(\/[^\s,]*[^\s,.])|FileNotFoundError: \[Errno 2\] No such file or directory: '([^']+)'|File file:(\/\S+) does not exist|(?:FileNotFoundException|NoSuchFileException): (\/.+?)(?: \(No such file or directory\))?$/,
    remedy,
    explain: ({ match: [, ...paths], driver }) => {
      const path = firstOf(paths);
      if (isMounted(driver, path)) return undefined;
      return {
        message: `The application reads ${path}, which is not in its pod: ${own}. It has neither the files of your machine nor those that other pods write.`,
        nextStep: `${sharedStorage} To send a small file, use --files.`,
      };
    },
  },
  {
    cause: "pod-file-missing",
    scope: "failure",
    pattern: /UNABLE_TO_INFER_SCHEMA|Unable to infer schema for/,
    remedy,
    explain: () => ({
      message: `The application reads a directory without data. If it wrote the data to a path of its pods, the executors wrote it there: ${own}.`,
      nextStep: sharedStorage,
    }),
  },
];

function firstOf(paths: readonly (string | undefined)[]): string {
  return paths.find((one) => one !== undefined) ?? "";
}

/** Removes the directories in which a job writes before it ends. */
function withoutTemporary(path: string): string {
  return path.replace(/\/_temporary\/.*$/, "");
}
