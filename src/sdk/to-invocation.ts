import { parseInvalidCommandLine } from "../command-line/parse.ts";
import { pysparkDriverPython, pysparkPython } from "../conf/entries/app.ts";
import { firesteelSparkVersion, firesteelSubmissionToken } from "../conf/entries/firesteel.ts";
import { containerImage } from "../conf/entries/image.ts";
import { context, namespace } from "../conf/entries/submission.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import { newestLine, parseSparkVersion } from "../conf/spark-version.ts";
import type { Issue } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { CommandLineSettings, SubmitInvocation } from "../plan/invocation.ts";
import type { FiresteelOptions } from "./client-options.ts";
import { invalid, listText, settingTexts } from "./setting-texts.ts";
import type { SubmitOptions } from "./submit-options.ts";

/** Options of a client in any release line. */
export type AnyFiresteelOptions = Omit<FiresteelOptions, "sparkVersion" | "conf"> & {
  readonly sparkVersion?: string | undefined;
  readonly conf?: object | undefined;
};

/** Options of a submission in any release line. */
export type AnySubmitOptions = Omit<SubmitOptions, "conf"> & { readonly conf?: object | undefined };

/** A submission in the form that the parser of command lines returns, and its problems. */
export interface LibrarySubmission {
  readonly invocation: SubmitInvocation;
  readonly issues: readonly Issue[];
}

/**
 * Turns options into the submission that the same command line would be.
 *
 * Errors, in `issues`: SUBMIT_ERR_LIBRARY_OPTION
 */
export function toInvocation(client: AnyFiresteelOptions, options: AnySubmitOptions): LibrarySubmission {
  const { app, args = [], python = {} } = options;
  const fields = fieldsOf(options);
  const problems = appIssues(app);
  const { settings, issues } = settingTexts([
    ...clientGroups(client),
    ["conf", { ...options.conf }],
    ["extraConf", options.extraConf],
    [
      "options",
      {
        [namespace.key]: options.namespace,
        [containerImage.key]: options.image,
        [pysparkPython.key]: python.executable,
        [pysparkDriverPython.key]: python.driverExecutable,
        [firesteelSubmissionToken.key]: options.token,
        // A handle waits, not the submission.
        [waitAppCompletion.key]: false,
      },
    ],
  ]);
  const invocation: SubmitInvocation = {
    ...commandLineOf(options.propertiesFile ?? client.propertiesFile),
    action: "submit",
    resource: problems.length === 0 ? app : placeholder,
    isExample: false,
    forwardedOptions: [],
    appArgs: args.map(String),
    fields: { ...masterField(options.master ?? client.master), deployMode: "cluster", ...fields.texts },
    settings,
  };
  return { invocation, issues: [...problems, ...fields.issues, ...issues] };
}

/**
 * Turns the options of a client into the settings that options of a command line would be.
 *
 * Errors, in `issues`: SUBMIT_ERR_LIBRARY_OPTION
 */
export function toCommandLine(client: AnyFiresteelOptions): {
  readonly commandLine: CommandLineSettings;
  readonly issues: readonly Issue[];
} {
  const { settings, issues } = settingTexts(clientGroups(client));
  const commandLine = { ...commandLineOf(client.propertiesFile), fields: masterField(client.master), settings };
  return { commandLine, issues };
}

function clientGroups(client: AnyFiresteelOptions) {
  return [
    ["conf of the client", { ...client.conf }],
    ["extraConf of the client", client.extraConf],
    [
      "options of the client",
      {
        [namespace.key]: client.namespace,
        [context.key]: client.context,
        [firesteelSparkVersion.key]: client.sparkVersion,
      },
    ],
  ] as const;
}

function commandLineOf(propertiesFile: string | undefined) {
  return { propertiesFile, extraPropertiesFiles: [], loadsDefaults: false, supervise: false, verbose: false };
}

function masterField(master: string | undefined) {
  return master === undefined ? {} : { master };
}

/**
 * Parses arguments of `spark-submit`. Settings of the client apply where the arguments have none.
 *
 * Errors, in `issues`: SUBMIT_ERR_ARG_…, SUBMIT_ERR_LIBRARY_OPTION
 */
export function argumentsToInvocation(client: AnyFiresteelOptions, argv: readonly string[]): LibrarySubmission {
  const line = parseSparkVersion(client.sparkVersion ?? "")?.line ?? newestLine;
  const parsed = parseInvalidCommandLine(argv, line);
  const { commandLine, issues } = toCommandLine(client);
  const { invocation } = parsed;
  if (invocation.action !== "submit") {
    const instruction = "Use application(), list() or kill() of this library.";
    const problem = invalid("arguments", argv, "does not submit an application", instruction);
    return orThrow<never>({ ok: false, issues: [...parsed.issues, problem] });
  }
  const own = new Set(invocation.settings.map(({ key }) => key));
  const settings = [...commandLine.settings.filter(({ key }) => !own.has(key)), ...invocation.settings];
  const wait = { key: waitAppCompletion.key, value: "false", origin: { kind: "conf" } } as const;
  return {
    invocation: {
      ...invocation,
      propertiesFile: invocation.propertiesFile ?? client.propertiesFile,
      fields: { ...commandLine.fields, deployMode: "cluster", ...invocation.fields },
      settings: [...settings.filter(({ key }) => key !== wait.key), wait],
    },
    issues: [...parsed.issues, ...issues],
  };
}

/** Returns the fields of a submission besides master and mode, and the problems of its lists. */
function fieldsOf(options: AnySubmitOptions) {
  const lists = {
    jars: options.jars,
    files: options.files,
    archives: options.archives,
    pyFiles: options.python?.files,
    packages: options.packages,
    packagesExclusions: options.excludePackages,
    repositories: options.repositories,
  };
  const { mainClass, name, proxyUser } = options;
  const joined = Object.entries(lists).flatMap(([field, items]) =>
    items === undefined || items.length === 0 ? [] : [[field, listText(optionNames[field] ?? field, items)] as const],
  );
  const texts = Object.entries({ mainClass, name, proxyUser, ...Object.fromEntries(joined) });
  return {
    texts: Object.fromEntries(
      texts.flatMap(([field, value]) => (typeof value === "string" ? [[field, value] as const] : [])),
    ),
    issues: joined.flatMap(([, text]) => (typeof text === "string" ? [] : text)),
  };
}

/** Application of which nothing is checked on this machine, instead of an invalid one. */
const placeholder = "local:///app.py";

/** Names of options that differ from their field. */
const optionNames: Readonly<Record<string, string>> = {
  pyFiles: "python.files",
  packagesExclusions: "excludePackages",
};

function appIssues(app: unknown): readonly Issue[] {
  if (typeof app === "string" && app.trim() !== "") return [];
  const reason = typeof app === "string" ? "is empty" : "is not a path or URI";
  return [invalid("app", app, reason, "Pass the jar, Python file or R file of the application.")];
}
