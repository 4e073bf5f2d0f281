/** Reduces records of faults to what a diagnosis reads. */
import { type Fields, isFields } from "../../src/values/fields.ts";

/** Fields that Kubernetes and Spark set in every pod. */
const commonPodFields = [
  "dnsPolicy",
  "serviceAccount",
  "priority",
  "enableServiceLinks",
  "preemptionPolicy",
  "tolerations",
];

/** Stack frames in libraries, which no rule reads. */
const libraryFrame =
  /^\s+at (java\.base\/|io\.|okhttp3|scala\.|jdk\.|org\.apache\.(ivy|hadoop|spark\.(rpc|network|scheduler|util\.Thread)))/;

/** INFO lines of Spark that do not concern a fault. */
const irrelevantInfo =
  /^\d\d\/\d\d\/\d\d [\d:]+ INFO (?!.*(Successfully|Got assigned task|Starting executor|file:|OutputCommitter|FileFormatWriter: Write|HadoopWriter))/;

/** Directory of the token of the pod's account. */
const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Returns a record without the parts that no rule reads, and without most INFO lines of its logs. */
export function compactRecord(record: Fields): Fields {
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
    ...without(spec, ...commonPodFields),
    volumes,
    ...containers("initContainers"),
    ...containers("containers"),
  };
}

function compactContainer(container: Fields): Fields {
  const env = listOf(container["env"]).filter(({ name }) => name === "SPARK_DRIVER_BIND_ADDRESS");
  const omitted = ["terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy"];
  const volumeMounts = listOf(container["volumeMounts"])
    .filter(({ mountPath }) => mountPath !== accountDirectory)
    .map((mount) => pick(mount, "mountPath", "name", "subPath"));
  return { ...without(container, ...omitted), env, volumeMounts };
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
    .filter(({ line }) => !irrelevantInfo.test(line) && !libraryFrame.test(line));
  return { [name]: lines.map(({ line }) => line).join("\n"), [`${name}Ms`]: lines.map(({ ms }) => ms) };
}

function pick(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns a value if it is an object, else an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
