import { keys, pythonEnvDirectory } from "../../settings.ts";
import type { LogRow } from "../log-row.ts";
import { missingFile } from "./missing-file.ts";

/** Driver log rows about programs, users and files of the image. */
export const programRows: readonly LogRow[] = [
  {
    cause: "exec-format-error",
    scope: "log",
    pattern: /exec format error/i,
    remedy: "Use an image for the platform of the node, or add the #! line to the script.",
    explain: ({ line: { text } }) => ({
      message: `${
        /exec (\S+): exec format|(\S+): cannot execute binary/i
          .exec(text)
          ?.slice(1)
          .find((one) => one !== undefined) ?? "The entry point"
      } cannot be executed: exec format error (another platform, or a script without #! line).`,
      key: keys.image,
    }),
  },
  {
    cause: "user-unknown",
    scope: "log",
    pattern: /basedir must be absolute: \?|invalid null input: name|getpwuid\(\): uid not found/i,
    remedy: "Use an image whose entry point adds the user, or set runAsUser to 185.",
    explain: ({ driver, match: [what] }) => {
      const id = driver.main.spec?.securityContext?.runAsUser ?? driver.spec.securityContext?.runAsUser;
      return {
        message: `The user id ${id ?? ""} of the driver has no name, and so no home, in the image: ${what}.`,
        key: keys.template,
      };
    },
  },
  {
    cause: "read-only-file-system",
    scope: "log",
    pattern: /Read-only file system/,
    remedy: "Mount an emptyDir where the driver writes (/tmp for example) in the pod template.",
    explain: ({ line: { text } }) => {
      const path = /(\/[^\s:'"’]+)['"’]?:? ?Read-only|Read-only file system: '(\/[^']+)'/
        .exec(text)
        ?.slice(1)
        .find((one) => one !== undefined);
      return {
        message: `The driver cannot write ${path ?? "its files"}: the root file system is read-only.`,
        nextStep: `Mount an emptyDir at ${path === undefined ? "/tmp" : `/${path.split("/")[1] ?? "tmp"}`} in the pod template, or allow a writable root.`,
        key: keys.template,
      };
    },
  },
  {
    cause: "python-missing",
    scope: "log",
    pattern: /Cannot run program "([^"]*python[^"]*)"|env: ['‘]?(python[\d.]*)['’]?: No such file/i,
    remedy: "Name an interpreter that is in the image, or use another image.",
    explain: ({ match: [, program, other] }) => ({
      message: `The Python interpreter ${program ?? other ?? ""} is not in the image of the driver.`,
      key: keys.python,
    }),
  },
  {
    cause: "script-missing",
    scope: "log",
    pattern:
      /can't open file '([^']+)'|NoSuchFileException: (\S+\.(?:py|R|r))\b|File \S*?(\/\S+\.(?:py|R)) does not exist/,
    remedy: "Correct the path, or add the script to the image.",
    explain: ({ match: [, ...paths] }) => missingFile("script", paths),
  },
  {
    cause: "python-version-mismatch",
    scope: "failure",
    pattern: /Python in worker has different version:?\s+\(?'?([\d.]+)'?.*? than that in driver:?\s+\(?'?([\d.]+\d)/,
    remedy: "Use images with the same Python, or one interpreter for both.",
    explain: ({ match: [, worker = "", own = ""] }) => ({
      message: `The executors run Python ${worker.replace(/\.$/, "")}, and the driver runs Python ${own}; PySpark needs the same version.`,
      nextStep: `Use the same image for driver and executors, or set ${keys.python} to an interpreter of the same version in both.`,
      key: keys.python,
    }),
  },
  {
    cause: "python-module-missing",
    scope: "failure",
    pattern: /PACKAGE_NOT_INSTALLED\] (\S+)|(?:ImportError: )(\S+) >= [\d.]+ must be installed/,
    remedy: "Send the module with --python-env, or with --py-files if it is yours.",
    explain: ({ match: [, one, other] }) => moduleMissing((one ?? other ?? "").toLowerCase()),
  },
  {
    cause: "python-module-missing",
    scope: "failure",
    pattern: /(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?/,
    remedy: "Send the module with --python-env, or with --py-files if it is yours.",
    explain: ({ match: [, module = ""], view: { properties } }) => {
      const name = packageOf(module);
      const hasEnvironment = properties[keys.python]?.startsWith(`./${pythonEnvDirectory}/`) === true;
      return hasEnvironment
        ? {
            message: `The Python module ${module} is neither in the image nor in the environment of --python-env.`,
            nextStep: `Add ${name} to its requirements, or send your own module with --py-files.`,
            key: keys.pythonEnv,
          }
        : moduleMissing(module);
    },
  },
];

function moduleMissing(module: string) {
  return {
    message: `The Python module ${module} is not in the image.`,
    nextStep: `Write ${packageOf(module)} into a file requirements.txt, and add --python-env requirements.txt; or send your own module with --py-files.`,
    key: keys.pythonEnv,
  };
}

/** Packages of common modules whose names differ. */
const packages: Readonly<Record<string, string>> = {
  bs4: "beautifulsoup4",
  cv2: "opencv-python-headless",
  dateutil: "python-dateutil",
  dotenv: "python-dotenv",
  PIL: "Pillow",
  sklearn: "scikit-learn",
  yaml: "PyYAML",
};

/** Returns the package that has a module. */
function packageOf(module: string): string {
  const top = module.split(".")[0] ?? module;
  return Object.hasOwn(packages, top) ? (packages[top] ?? top) : top;
}
