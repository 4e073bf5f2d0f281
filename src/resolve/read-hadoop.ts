import { basename } from "node:path";
import { kerberosKeytab, krb5ConfigMapName, krb5Path } from "../conf/entries/hadoop.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, issuesOf, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import { maxConfFileBytes } from "../plan/conf-files.ts";
import type { HadoopDirectory, KerberosFiles, SubmitterFile, TokenFile } from "../plan/facts.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";

const directoryVariable = "HADOOP_CONF_DIR";

/** Reads Hadoop's configuration and the files for Kerberos. Files with problems are absent. */
export function readHadoopFacts(host: Host, request: Pick<SubmitRequest, "conf" | "behaviors">) {
  const directory = readHadoopDirectory(host, request);
  const kerberos = readKerberosFiles(host, request.conf);
  const unread = { path: host.env[directoryVariable] ?? "", files: [] };
  return {
    values: {
      hadoopDirectory: directory.ok ? directory.value : unread,
      kerberos: kerberos.ok ? kerberos.value : { krb5: undefined, keytab: undefined, tokens: undefined },
    },
    issues: [directory, kerberos].flatMap(issuesOf),
  };
}

/**
 * Reads the regular files of HADOOP_CONF_DIR; an empty variable counts as set.
 *
 * Errors: SUBMIT_ERR_FILE_UNREADABLE; SUBMIT_ERR_HADOOP_CONF_SIZE, which in Spark only the API server reports.
 * Source: Spark HadoopConfDriverFeatureStep.
 */
export function readHadoopDirectory(
  host: Host,
  { conf, behaviors }: Pick<SubmitRequest, "conf" | "behaviors">,
): Result<HadoopDirectory | undefined> {
  const path = host.env[directoryVariable];
  if (path === undefined) return success(undefined);
  if (excludedSteps(conf).has(stepNames.hadoop)) return success({ path, files: [] });
  const names = path === "" ? undefined : host.files.list(path);
  if (names === undefined) return success({ path, files: undefined });
  const found = names.flatMap((name) => {
    const info = host.files.info(`${path}/${name}`);
    return info?.kind === "file" ? [{ name, sizeBytes: info.sizeBytes }] : [];
  });
  const sizeBytes = found.reduce((sum, file) => sum + file.sizeBytes, 0);
  const [largest] = found.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  if (behaviors.hadoopConfSize === "limited" && largest !== undefined && sizeBytes > maxConfFileBytes) {
    return failure("SUBMIT_ERR_HADOOP_CONF_SIZE", { path, sizeBytes, largest: largest.name });
  }
  const files: SubmitterFile[] = [];
  for (const { name } of found) {
    const file = readFile(host, `${path}/${name}`, directoryVariable);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return success({ path, files });
}

/** Reads the files with which the driver logs in to Kerberos. Errors: SUBMIT_ERR_FILE_UNREADABLE. Source: Spark KerberosConfDriverFeatureStep. */
export function readKerberosFiles(host: Host, conf: SparkConf): Result<KerberosFiles> {
  if (excludedSteps(conf).has(stepNames.kerberos)) {
    return success({ krb5: undefined, keytab: undefined, tokens: undefined });
  }
  // The plan rejects the combination of both settings, so the file does not matter.
  const krb5 = conf.has(krb5ConfigMapName) ? success(undefined) : readNamed(host, conf, krb5Path);
  const keytab = readNamed(host, conf, kerberosKeytab);
  if (!krb5.ok || !keytab.ok) return { ok: false, issues: [krb5, keytab].flatMap(issuesOf) };
  return success({ krb5: krb5.value, keytab: keytab.value, tokens: readTokens(host) });
}

/** Reads the file at the plain path of a setting; `undefined` for a keytab in the image. */
function readNamed(
  host: Host,
  conf: SparkConf,
  entry: ConfEntry<string | undefined>,
): Result<SubmitterFile | undefined> {
  const specified = conf.read(entry);
  if (!specified.ok) return specified;
  const path = specified.value;
  if (path === undefined || (entry === kerberosKeytab && path.startsWith("local:"))) return success(undefined);
  return readFile(host, path, entry.key);
}

function readFile({ files, cwd }: Host, specified: string, what: string): Result<SubmitterFile> {
  const path = absolutePath({ cwd }, specified);
  try {
    if (files.info(path)?.kind === "directory") {
      return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path: specified, reason: "Is a directory" });
    }
    const bytes = files.readBytes(path);
    if (bytes !== undefined) return success({ name: basename(path), bytes });
    return failure("SUBMIT_ERR_FILE_UNREADABLE", {
      what,
      path: specified,
      reason: "No such file or directory",
    });
  } catch (error) {
    return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path: specified, reason: messageOf(error) });
  }
}

/** Reads the token file. A missing file is not an error here, because the variable can be meant for other programs. */
function readTokens({ env, files }: Host): TokenFile | undefined {
  const path = env["HADOOP_TOKEN_FILE_LOCATION"];
  if (path === undefined || path === "") return undefined;
  try {
    return { path, bytes: files.readBytes(path) };
  } catch {
    return { path, bytes: undefined };
  }
}
