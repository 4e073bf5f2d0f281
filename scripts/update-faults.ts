/**
 * Brings recorded faults into `test/golden/recorded/faults`, without what no rule can need.
 *
 *     npm run update:faults -- --records DIR
 *     npm run verify:faults -- --records DIR
 *
 * A record is one JSON file: pods, events and executors over time, logs, objects, and the truth about it. One file a
 * group is kept, one line a record.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Fields, isFields } from "../src/values/fields.ts";

const target = "test/golden/recorded/faults";

/** What Kubernetes and Spark put into every pod. */
const usual = ["dnsPolicy", "serviceAccount", "priority", "enableServiceLinks", "preemptionPolicy", "tolerations"];

/** Places in libraries, which no rule looks at. */
const frame =
  /^\s+at (java\.base\/|io\.|okhttp3|scala\.|jdk\.|org\.apache\.(ivy|hadoop|spark\.(rpc|network|scheduler|util\.Thread)))/;

/** Remarks of Spark that say nothing of a fault. */
const remark = /^\d\d\/\d\d\/\d\d [\d:]+ INFO (?!.*(Successfully|Got assigned task|Starting executor))/;

const { values } = parseArgs({ options: { records: { type: "string" }, verify: { type: "boolean" } } });
if (values.records === undefined) fail("name the folder of the records: --records DIR");
const pages = pagesOf(values.records);
if (values.verify === true) verify();
else update();

function pagesOf(directory: string): ReadonlyMap<string, string> {
  const records = readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => fieldsOf(JSON.parse(readFileSync(join(directory, name), "utf8"))));
  const groups = [...new Set(records.map(({ group }) => String(group)))].sort();
  return new Map(
    groups.map((group) => {
      const lines = records.filter((record) => record["group"] === group).map((one) => JSON.stringify(compact(one)));
      return [join(target, `${group}.json`), `[\n${lines.join(",\n")}\n]\n`];
    }),
  );
}

function compact(record: Fields): Fields {
  const logs = compactLogs(record);
  return {
    ...pick(record, "id", "cause", "startedAt", "driverPod", "endMs"),
    truth: pick(fieldsOf(record["truth"]), "knownMs", "mustMention", "terminal"),
    properties: record["properties"],
    ...(isFields(record["rejection"])
      ? { rejection: pick(record["rejection"], "ms", "request", "status", "body") }
      : {}),
    timeline: listOf(record["timeline"]).map(compactEntry),
    ...logs,
    objects: listOf(record["objects"]).map(compactObject),
  };
}

function compactEntry(entry: Fields): Fields {
  const { pod, events, executors, executorsDeleted, deleted, ms } = entry;
  return {
    ms,
    ...(isFields(pod) ? { pod: compactPod(pod) } : {}),
    ...(deleted === undefined ? {} : { deleted }),
    ...(events === undefined ? {} : { events: listOf(events).map(compactEvent) }),
    ...(executors === undefined ? {} : { executors: listOf(executors).map(compactPod) }),
    ...(executorsDeleted === undefined ? {} : { executorsDeleted }),
  };
}

function compactPod({ metadata, spec, status }: Fields): Fields {
  const times = ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;
  return {
    metadata: pick(fieldsOf(metadata), "name", "namespace", "uid", ...times),
    ...(isFields(spec) ? { spec: compactSpec(spec) } : {}),
    status: {
      ...pick(fieldsOf(status), "phase", "reason", "message", "startTime"),
      conditions: listOf(fieldsOf(status)["conditions"]).map((one) => pick(one, "type", "status", "reason", "message")),
      ...statusesOf(fieldsOf(status), "initContainerStatuses"),
      ...statusesOf(fieldsOf(status), "containerStatuses"),
    },
  };
}

function statusesOf(status: Fields, name: string): Fields {
  if (status[name] === undefined) return {};
  const kept = ["name", "state", "lastState", "restartCount", "started", "ready"] as const;
  return { [name]: listOf(status[name]).map((one) => pick(one, ...kept)) };
}

function compactSpec(spec: Fields): Fields {
  const containers = (name: string) =>
    spec[name] === undefined ? {} : { [name]: listOf(spec[name]).map(compactContainer) };
  const volumes = listOf(spec["volumes"]).filter(({ name }) => !String(name).startsWith("kube-api-access-"));
  return {
    ...without(spec, ...usual),
    volumes,
    ...containers("initContainers"),
    ...containers("containers"),
  };
}

function compactContainer(container: Fields): Fields {
  const env = listOf(container["env"]).filter(({ name }) => name === "SPARK_DRIVER_BIND_ADDRESS");
  const dull = ["terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "volumeMounts"];
  return { ...without(container, ...dull), env };
}

function compactEvent(event: Fields): Fields {
  const kept = [
    "reason",
    "message",
    "type",
    "count",
    "series",
    "firstTimestamp",
    "lastTimestamp",
    "eventTime",
  ] as const;
  return {
    metadata: pick(fieldsOf(event["metadata"]), "name", "uid", "resourceVersion"),
    involvedObject: pick(fieldsOf(event["involvedObject"]), "kind", "name", "uid", "fieldPath"),
    ...pick(event, ...kept),
  };
}

function compactObject(object: Fields): Fields {
  const metadata = pick(fieldsOf(object["metadata"]), "name", "namespace", "labels");
  const status = fieldsOf(object["status"]);
  const conditions = listOf(status["conditions"]).filter(({ type }) => type === "Ready");
  return {
    ...pick(object, "kind", "apiVersion", "spec"),
    metadata,
    status: { ...pick(status, "phase", "allocatable", "hard", "used"), conditions },
  };
}

function compactLogs(record: Fields): Fields {
  const named = ["log", "initLog", "sideCarLog"].flatMap((name) =>
    typeof record[name] === "string" ? Object.entries(compactLog(name, record[name], record[`${name}Ms`])) : [],
  );
  const executors = Object.entries(fieldsOf(record["executorLogs"])).map(([pod, text]) => {
    const { log, logMs } = compactLog("log", String(text), fieldsOf(record["executorLogsMs"])[pod]);
    return { pod, log, logMs };
  });
  return {
    ...Object.fromEntries(named),
    executorLogs: Object.fromEntries(executors.map(({ pod, log }) => [pod, log])),
    executorLogsMs: Object.fromEntries(executors.map(({ pod, logMs }) => [pod, logMs])),
  };
}

function compactLog(name: string, text: string, times: unknown): Fields {
  const all = Array.isArray(times) ? times : [];
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => ({ line, ms: Number(all[index] ?? 0) }))
    .filter(({ line }) => !remark.test(line) && !frame.test(line));
  return { [name]: lines.map(({ line }) => line).join("\n"), [`${name}Ms`]: lines.map(({ ms }) => ms) };
}

function pick(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function update(): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [path, text] of pages) writeFileSync(path, text);
}

function verify(): void {
  const stale = [...pages].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
  if (stale.length > 0) fail(`not as recorded: ${stale.map(([path]) => path).join(", ")}; run npm run update:faults`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
