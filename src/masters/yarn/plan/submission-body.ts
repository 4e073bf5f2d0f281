import { appName, yarnQueue } from "../../../conf/entries/app.ts";
import {
  acls,
  yarnAmNodeLabelExpression,
  yarnApplicationType,
  yarnAttemptFailuresValidityInterval,
  yarnMaxAppAttempts,
  yarnPriority,
  yarnRolledLogExclude,
  yarnRolledLogInclude,
  yarnTags,
} from "../../../conf/entries/yarn.ts";
import type { ConfEntry } from "../../../conf/entry.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { type HadoopCredentials, printTokenText } from "../../../values/delegation-token.ts";
import type { LocalResource } from "./conf-archive.ts";
import type { YarnFacts } from "./yarn-facts.ts";
import type { YarnDriverSize } from "./yarn-memory.ts";

interface YarnSubmission {
  readonly appId: string;
  readonly conf: SparkConf;
  readonly facts: YarnFacts;
  readonly size: YarnDriverSize;
  readonly env: ReadonlyMap<string, string>;
  readonly command: string;
  readonly resources: readonly LocalResource[];
  readonly credentials: HadoopCredentials;
}

/**
 * Builds the body of `POST /ws/v1/cluster/apps`.
 *
 * Source: Hadoop ResourceManager REST API's, "Cluster Applications API (Submit Application)"; Spark
 * yarn.Client.createApplicationSubmissionContext.
 */
export function submissionBody(submission: YarnSubmission): Readonly<Record<string, unknown>> {
  const { appId, conf, size } = submission;
  const tags = conf.get(yarnTags);
  return {
    "application-id": appId,
    "application-name": conf.get(appName),
    queue: conf.get(yarnQueue),
    "application-type": conf.get(yarnApplicationType),
    // Without a priority the REST API uses -1, which ranks behind submissions through RPC.
    priority: conf.get(yarnPriority) ?? 0,
    ...(tags.length === 0 ? {} : { "application-tags": { tag: [...new Set(tags)] } }),
    ...optional(conf, "max-app-attempts", yarnMaxAppAttempts),
    ...optional(conf, "attempt-failures-validity-interval", yarnAttemptFailuresValidityInterval),
    ...optional(conf, "am-container-node-label-expression", yarnAmNodeLabelExpression),
    "keep-containers-across-application-attempts": false,
    "unmanaged-AM": false,
    resource: { memory: size.heapMiB + size.overheadMiB, vCores: size.cores },
    ...logAggregation(conf),
    "am-container-spec": containerSpec(submission),
  };
}

function optional(conf: SparkConf, name: string, setting: ConfEntry<unknown>) {
  const value = conf.get(setting);
  return value === undefined ? {} : { [name]: value };
}

function logAggregation(conf: SparkConf) {
  const context = {
    ...optional(conf, "rolled-log-include-pattern", yarnRolledLogInclude),
    ...optional(conf, "rolled-log-exclude-pattern", yarnRolledLogExclude),
  };
  return Object.keys(context).length === 0 ? {} : { "log-aggregation-context": context };
}

function containerSpec({ conf, facts, env, command, resources, credentials }: YarnSubmission) {
  return {
    "local-resources": entries(resources.map((resource) => [resource.link, localResource(resource)])),
    environment: entries(env),
    commands: { command },
    "application-acls": entries(aclsOf(conf, facts)),
    ...credentialsMember(credentials),
  };
}

function credentialsMember({ tokens, secrets }: HadoopCredentials) {
  if (tokens.size + secrets.size === 0) return {};
  const tokenTexts = entries(Array.from(tokens, ([alias, token]) => [alias, printTokenText(token)]));
  const secretTexts = entries(
    Array.from(secrets, ([alias, secret]) => [alias, Buffer.from(secret).toString("base64url")]),
  );
  return { credentials: { tokens: tokenTexts, secrets: secretTexts } };
}

function localResource({ url, type, visibility, sizeBytes, timestamp }: LocalResource) {
  return { resource: url, type, visibility, size: sizeBytes, timestamp };
}

/** Converts a map to the REST API's list of pairs. */
function entries(pairs: Iterable<readonly [string, unknown]>) {
  return { entry: [...pairs].map(([key, value]) => ({ key, value })) };
}

/** Builds an ACL: comma-separated users, a space, comma-separated groups. Source: Spark YarnSparkHadoopUtil.getApplicationAclsForYarn. */
function aclsOf(conf: SparkConf, { userName, runsAs }: YarnFacts): readonly (readonly [string, string])[] {
  const admins = conf.get(acls.admin);
  const adminGroups = conf.get(acls.adminGroups);
  const usersOf = (users: readonly string[]) => oneOrAll([userName, runsAs, ...admins, ...users]);
  const text = (users: readonly string[], groups: readonly string[]) =>
    `${usersOf(users)} ${oneOrAll([...adminGroups, ...groups])}`;
  return [
    ["VIEW_APP", text(conf.get(acls.view), conf.get(acls.viewGroups))],
    ["MODIFY_APP", text(conf.get(acls.modify), conf.get(acls.modifyGroups))],
  ];
}

function oneOrAll(names: readonly string[]): string {
  return names.includes("*") ? "*" : [...new Set(names)].join(",");
}
