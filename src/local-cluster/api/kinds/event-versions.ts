import { isObject, type JsonObject } from "../json.ts";

/** Field names of `events.k8s.io/v1` by their name in the core group. */
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

/** Converts a stored core event to `events.k8s.io/v1`. */
export function toNewEvent(event: JsonObject): JsonObject {
  const { reportingComponent, reportingInstance, ...rest } = renamed(event, newNames, "events.k8s.io/v1");
  return withoutEmptyReporter({ ...rest, reportingComponent, reportingInstance });
}

/** Removes empty reporter fields, which the new version omits. */
function withoutEmptyReporter(event: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => value !== undefined && !(value === "" && name.startsWith("reporting")),
    ),
  );
}

/** Converts an event of `events.k8s.io/v1` to the core version, in which events are stored. */
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
