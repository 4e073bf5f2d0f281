import { basename } from "node:path";
import { kerberosKeytab, krb5ConfigMapName, krb5Path } from "../conf/entries/hadoop.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, issuesOf, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { maxConfFileBytes } from "../plan/conf-files.ts";
import type { HadoopDirectory, KerberosFiles, SubmitterFile, TokenFile } from "../plan/facts.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";

const directoryVariable = "HADOOP_CONF_DIR";

/**
 * Reads the regular files of HADOOP_CONF_DIR; an empty variable counts as set.
 *
 * Errors: SUBMIT_ERR_FILE_UNREADABLE; SUBMIT_ERR_HADOOP_CONF_SIZE, where Spark would ask the API server first.
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

/** Reads what the driver logs in to Kerberos with. Errors: SUBMIT_ERR_FILE_UNREADABLE. Source: Spark KerberosConfDriverFeatureStep. */
export function readKerberosFiles(host: Host, conf: SparkConf): Result<KerberosFiles> {
  if (excludedSteps(conf).has(stepNames.kerberos)) {
    return success({ krb5: undefined, keytab: undefined, tokens: undefined });
  }
  // Both are refused, whatever the file holds.
  const krb5 = conf.has(krb5ConfigMapName) ? success(undefined) : readNamed(host, conf, krb5Path);
  const keytab = readNamed(host, conf, kerberosKeytab);
  if (!krb5.ok || !keytab.ok) return { ok: false, issues: [krb5, keytab].flatMap(issuesOf) };
  return success({ krb5: krb5.value, keytab: keytab.value, tokens: readTokens(host) });
}

/** The file that a setting names, a plain path; none when it is one of the image. */
function readNamed(
  host: Host,
  conf: SparkConf,
  entry: ConfEntry<string | undefined>,
): Result<SubmitterFile | undefined> {
  const given = conf.read(entry);
  if (!given.ok) return given;
  if (given.value === undefined) return success(undefined);
  if (entry === kerberosKeytab && given.value.startsWith("local:")) return success(undefined);
  return readFile(host, given.value, entry.key);
}

function readFile({ files, cwd }: Host, given: string, what: string): Result<SubmitterFile> {
  const path = given.startsWith("/") ? given : `${cwd}/${given}`;
  try {
    if (files.info(path)?.kind === "directory") {
      return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path: given, reason: "Is a directory" });
    }
    const bytes = files.readBytes(path);
    if (bytes !== undefined) return success({ name: basename(path), bytes });
    return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path: given, reason: "No such file or directory" });
  } catch (error) {
    return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path: given, reason: messageOf(error) });
  }
}

/** Tokens that cannot be had are told of, and no more: the variable may be there for somebody else. */
function readTokens({ env, files }: Host): TokenFile | undefined {
  const path = env["HADOOP_TOKEN_FILE_LOCATION"];
  if (path === undefined || path === "") return undefined;
  try {
    return { path, bytes: files.readBytes(path) };
  } catch {
    return { path, bytes: undefined };
  }
}
