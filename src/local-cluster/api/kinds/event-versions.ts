import { isObject, type JsonObject } from "../json.ts";

/** Fields of `events.k8s.io/v1` by what the core group calls them. */
const newNames: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
};

const oldNames = Object.fromEntries(Object.entries(newNames).map(([old, name]) => [name, old]));

/** An event of the core group, as it is kept, in the words of `events.k8s.io/v1`. */
export function toNewEvent(event: JsonObject): JsonObject {
  const { reportingComponent, reportingInstance, ...rest } = renamed(event, newNames, "events.k8s.io/v1");
  return withoutEmptyReporter({ ...rest, reportingComponent, reportingInstance });
}

/** The new version leaves out what it has no reporter for. */
function withoutEmptyReporter(event: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => value !== undefined && !(value === "" && name.startsWith("reporting")),
    ),
  );
}

/** An event of `events.k8s.io/v1` in the words of the core group, in which it is kept. */
export function toCoreEvent(event: JsonObject): JsonObject {
  const core = renamed(event, oldNames, "v1");
  return {
    ...core,
    involvedObject: isObject(core["involvedObject"]) ? core["involvedObject"] : {},
    source: isObject(core["source"]) ? core["source"] : {},
    firstTimestamp: core["firstTimestamp"] ?? null,
    lastTimestamp: core["lastTimestamp"] ?? null,
    reportingComponent: core["reportingComponent"] ?? "",
    reportingInstance: core["reportingInstance"] ?? "",
  };
}

function renamed(event: JsonObject, names: Readonly<Record<string, string>>, apiVersion: string): JsonObject {
  const fields = Object.entries(event).map(([name, value]) => [names[name] ?? name, value]);
  return { ...Object.fromEntries(fields), apiVersion };
}
