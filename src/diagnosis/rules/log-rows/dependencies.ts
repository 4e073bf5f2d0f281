import { findLine } from "../../evidence.ts";
import type { PodView } from "../../pod-view.ts";
import { keys } from "../../settings.ts";
import { withoutStagedDirectories } from "../../staged-path.ts";
import type { View } from "../../view.ts";
import type { LogRow } from "../log-row.ts";
import { missingFile } from "./missing-file.ts";

/** Driver log rows about what the driver fetches and loads. */
export const dependencyRows: readonly LogRow[] = [
  {
    cause: "event-log-directory-missing",
    scope: "failure",
    pattern:
      /File (\S+) does not exist|FileNotFoundException: (\S+) \(|Log directory (\S+) (?:is not a directory|does not exist)|NoSuchFileException: (\S+)|(?:File does not exist|No such file or directory): (\S+)/,
    remedy: "Create the directory (a volume), or set one that exists.",
    explain: ({ match: [, ...paths], failure, view: { properties } }) => {
      const path = paths.find((one) => one !== undefined) ?? "";
      const directory = properties[keys.eventLogDir] ?? "/tmp/spark-events";
      const isIts = path.replace(/^file:\/*/, "/") === directory.replace(/^file:\/*/, "/").replace(/\/$/, "");
      if (!isIts && !failure?.lines.some(({ text }) => /EventLog(File|ging)/.test(text))) return undefined;
      return {
        message: `The event log directory ${path} does not exist in the driver.`,
        key: keys.eventLogDir,
      };
    },
  },
  {
    cause: "filesystem-missing",
    scope: "failure",
    pattern:
      /No FileSystem for scheme:? "?([\w+.-]+)"?|Class (\S*(?:FileSystem|fs\.\S+)) not found|No AbstractFileSystem configured for scheme: (\S+)/,
    remedy: "Use an image with the library of that file system (hadoop-aws for s3a, for example).",
    explain: ({ match: [, scheme, name, other] }) => ({
      message:
        name === undefined
          ? `The image has no file system for addresses that begin with ${scheme ?? other ?? ""}://.`
          : `The image lacks the class ${name}, which reads such addresses.`,
    }),
  },
  {
    cause: "ivy-cache-unwritable",
    scope: "failure",
    pattern:
      /FileNotFoundException: (\S*(?:ivy|resolved-org\.apache\.spark)\S*) \((?:No such file|Permission denied|Read-only)|(?:AccessDenied|FileSystem)Exception: (\S*ivy\S*)/i,
    remedy: "Set the directory of Ivy to one that the driver can write, for example /tmp/.ivy2.",
    explain: ({ match: [, path, other] }) => ({
      message: `${keys.packages} is resolved in the driver, whose Ivy directory cannot be written: ${path ?? other ?? ""}.`,
      nextStep: `Set ${keys.ivy}=/tmp/.ivy2.`,
      key: keys.ivy,
    }),
  },
  {
    cause: "dependency-unresolved",
    scope: "log",
    pattern:
      /RuntimeException: \[(.*(?:unresolved dependency|download failed).*)\]|unresolved dependency: (\S+)|^\s*::\s+(\S+#\S+;\S+): not found/,
    remedy: "Correct the coordinates, add the repository that has them, or give the cluster access to it.",
    explain: ({ match: [, list, one, other], driver, view: { properties } }) => {
      const host = findLine(driver.main.log, /Host (\S+) not found/)?.match[1];
      return {
        message: `A Maven package could not be resolved (${keys.packages}=${properties[keys.packages] ?? ""}): ${list ?? one ?? other ?? ""}${host === undefined ? "" : ` (the host ${host} is not reached)`}.`,
        key: keys.packages,
      };
    },
  },
  {
    cause: "dependency-unreachable",
    scope: "failure",
    pattern:
      /(?:UnknownHostException|ConnectException|NoRouteToHostException|SocketTimeoutException|HttpConnectTimeoutException|SSLHandshakeException|Server returned HTTP response code: \d+ for URL)[: ]*(.*)|FileNotFoundException: (https?:\S+)/,
    remedy: "Correct the address, or give the cluster access to it.",
    explain: ({ match: [what, where = "", url], failure, driver, view }) => {
      const isFetch = failure?.lines.some(({ text }) => /prepareSubmitEnvironment|fetchFile/i.test(text));
      if (isFetch !== true) return undefined;
      const address = remoteAddresses(driver, view).find((one) => one.includes(hostIn(where)));
      return {
        message: `The driver cannot fetch a dependency from ${url ?? address ?? (where || what)}: ${what.trim()}.`,
      };
    },
  },
  {
    cause: "jar-missing",
    scope: "log",
    pattern:
      /NoSuchFileException: (\S+\.[jw]ar)\b|Local jar (\S+) does not exist, skipping|FileNotFoundException: (?:File )?(?:file:)?(\S+\.[jw]ar)\b|(?:File|jar) (?:file:)?(\S+\.jar) does not exist|Unable to access jarfile (\S+)/,
    remedy: "Correct the path, or add the jar to the image.",
    explain: ({ match: [, ...paths] }) => missingFile("jar", paths),
  },
  {
    cause: "main-class-not-found",
    scope: "log",
    pattern:
      /Error: Failed to load class ([\w.$]+?)\.?$|Error: Failed to load ([\w.$]+): |Could not find or load main class ([\w.$]+)|NoSuchMethodException: ([\w.$]+)\.main\(|The main method in the given main class must be static/,
    remedy: "Correct --class, or the jar.",
    explain: ({ match: [, ...names], driver, view }) => {
      const name = names.find((one) => one !== undefined) ?? mainClass(driver) ?? "";
      return {
        message: `The main class ${name} is not in ${jarOf(driver, view)}, or has no main method.`,
        key: "--class",
      };
    },
  },
  {
    cause: "main-class-not-found",
    scope: "failure",
    pattern: /ClassNotFoundException: ([\w.$]+)/,
    remedy: "Correct --class, or the jar.",
    explain: ({ match: [, name = ""], driver, view }) =>
      name === mainClass(driver)
        ? { message: `The main class ${name} is not in ${jarOf(driver, view)}.`, key: "--class" }
        : undefined,
  },
  {
    cause: "class-missing",
    scope: "failure",
    pattern:
      /Failed to find (?:the )?data source:? ([\w.$-]*\w)|ClassNotFoundException: ([\w.$]+)|NoClassDefFoundError: (?!Could not initialize)([\w./$]+)|No suitable driver/,
    remedy: "Add the library with --packages or --jars, or to the image.",
    explain: ({ match: [, source, name, definition] }) => {
      const missing = (name ?? definition)?.replaceAll("/", ".");
      const library = libraryOf(source ?? missing ?? "");
      return {
        message:
          source === undefined
            ? `The class ${missing ?? "of the JDBC driver"} is not on the class path of the application.`
            : `The data source ${source} is not on the class path of the application.`,
        nextStep: `Add ${library ?? "the library that has it"} with --packages or --jars, or to the image.`,
        key: keys.packages,
      };
    },
  },
];

/** Libraries of common data sources and classes, as coordinates without version. */
const libraries: readonly (readonly [RegExp, string])[] = [
  [/^kafka$|\.kafka/, "org.apache.spark:spark-sql-kafka-0-10"],
  [/^avro$|spark\.sql\.avro/, "org.apache.spark:spark-avro"],
  [/^delta$|^io\.delta\./, "io.delta:delta-spark"],
  [/^iceberg$|\.iceberg\./, "org.apache.iceberg:iceberg-spark-runtime"],
  [/^hudi$|\.hudi\./, "org.apache.hudi:hudi-spark-bundle"],
  [/^org\.postgresql\./, "org.postgresql:postgresql"],
  [/^com\.mysql\./, "com.mysql:mysql-connector-j"],
  [/sqlserver/, "com.microsoft.sqlserver:mssql-jdbc"],
];

function libraryOf(name: string): string | undefined {
  return libraries.find(([pattern]) => pattern.test(name))?.[1];
}

/** Returns the host in a message. A message without a host returns an empty text, which every address contains. */
function hostIn(text: string): string {
  return /^(?:https?:\/\/)?([\w.-]+\.[\w.-]+)/.exec(text)?.[1] ?? "";
}

/** Lists the addresses of files that the driver fetches before its main class runs. */
function remoteAddresses({ main }: PodView, { properties }: View): readonly string[] {
  const configured = [keys.jars, keys.files, keys.pyFiles, keys.archives].map((key) => properties[key] ?? "");
  const texts = [...(main.spec?.args ?? []), ...configured.flatMap((list) => list.split(","))];
  return texts.filter((expectedText) => /^(?!local:|file:)[a-z][\w+.-]*:\/\//i.test(expectedText));
}

function mainClass({ main }: PodView): string | undefined {
  const args = main.spec?.args ?? [];
  return args[args.indexOf("--class") + 1];
}

/** Names the jar of the application as its user does. */
function jarOf({ main }: PodView, { properties }: View): string {
  const jar = main.spec?.args?.find((text) => /\.jar$|^(local|file|https?|s3a?):\/\//.test(text));
  return jar === undefined ? "the jar" : withoutStagedDirectories(jar, properties);
}
