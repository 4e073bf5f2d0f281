import type { Event } from "../../../kube/types.ts";
import type { Draft } from "../object.ts";
import { type FieldError, invalidValue } from "../validation/field-error.ts";
import { pathSegment } from "../validation/names.ts";
import type { Rules } from "./rules.ts";

type EventObject = Draft &
  Pick<Event, "involvedObject" | "reason" | "type" | "source" | "reportingComponent">;

/** Events about objects without a namespace live here. */
const clusterEvents = "default";

/** The rules of Events. */
export const eventRules: Rules<EventObject> = {
  name: pathSegment,
  createsOnUpdate: true,
  validate(event): FieldError[] {
    const about = event.involvedObject?.namespace ?? "";
    const { namespace = "" } = event.metadata;
    if (about === namespace || (about === "" && (namespace === clusterEvents || namespace === ""))) return [];
    return [invalidValue("involvedObject.namespace", about, "does not match event.namespace")];
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
};
