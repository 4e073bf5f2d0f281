import type { Event } from "../../../kube/types.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldError, invalidValue, required } from "../validation/field-error.ts";
import { pathSegment, qualifiedName } from "../validation/names.ts";
import type { Rules } from "./rules.ts";

type EventObject = Draft &
  Omit<Event, "metadata" | "apiVersion" | "kind" | "eventTime"> & { eventTime?: string | null };

const types = ["Normal", "Warning"];

/** Namespace of events objectNamespace cluster-scoped objects. */
const clusterEvents = "default";

/** The rules of Events. */
export const eventRules: Rules<EventObject> = {
  name: pathSegment,
  createsOnUpdate: true,
  validate(event): FieldError[] {
    const objectNamespace = event.involvedObject?.namespace ?? "";
    const { namespace = "" } = event.metadata;
    const isSameNamespace =
      objectNamespace === namespace || (objectNamespace === "" && [clusterEvents, ""].includes(namespace));
    return [
      ...(isSameNamespace
        ? []
        : [invalidValue("involvedObject.namespace", objectNamespace, "does not match event.namespace")]),
      ...(event.eventTime === undefined || event.eventTime === null ? [] : reporterErrors(event, "reportingComponent")),
    ];
  },
  selectable: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject?.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject?.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject?.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject?.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject?.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject?.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject?.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component ?? reportingComponent ?? "",
    type: ({ type }) => type ?? "",
  },
  unknownField: (field) => `field label not supported: ${field}`,
};

/** The rules of events.k8s.io/v1, which also requires the reporter, action and time; only the series may change later. */
export const newEventRules: Rules<EventObject> = {
  ...eventRules,
  selectable: Object.fromEntries(
    Object.entries(eventRules.selectable ?? {}).flatMap(([field, read]) => {
      const name = field.replace("involvedObject", "regarding").replace("reportingComponent", "reportingController");
      return field === "source" ? [] : [[name, read]];
    }),
  ),
  validate: (event, scope) => [
    ...(eventRules.validate?.({ ...event, eventTime: null }, scope) ?? []),
    ...(event.eventTime === undefined || event.eventTime === null
      ? [required("eventTime")]
      : reporterErrors(event, "reportingController")),
    ...(types.includes(event.type ?? "") ? [] : [invalidValue("type", "", `has invalid value: ${event.type ?? ""}`)]),
  ],
  validateUpdate: (next, old) =>
    (
      [
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        "type",
        "eventTime",
        "action",
        "related",
        "reportingComponent",
        "reportingInstance",
      ] as const
    ).flatMap((field) =>
      isSame(next[field], old[field]) ? [] : [invalidValue(field, next[field] ?? "", "field is immutable")],
    ),
};

/** Returns the errors of the reporter. `field` is its name in the event's version. */
function reporterErrors(
  { reportingComponent = "", reportingInstance = "", action = "", reason = "" }: EventObject,
  field: string,
): FieldError[] {
  return [
    ...(reportingComponent === "" ? [required(field)] : []),
    ...qualifiedName(reportingComponent).map((fault) => invalidValue(field, reportingComponent, fault)),
    ...(reportingInstance === "" ? [required("reportingInstance")] : []),
    ...(action === "" ? [required("action")] : []),
    ...(reason === "" ? [required("reason")] : []),
  ];
}
