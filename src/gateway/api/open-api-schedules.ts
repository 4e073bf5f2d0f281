import { applicationApiVersion } from "../../spark-application/application.ts";
import { ownScheduleJsonSchema } from "../../spark-application/own/json-schema.ts";
import { gatewayStates } from "../model/application.ts";
import { content, failure, integer, operation, pageQuery, query, ref, response, text, time } from "./open-api-parts.ts";

const state = { type: "string", enum: gatewayStates };

const schedule = {
  type: "object",
  required: ["namespace", "name", "schedule", "suspend", "createdAt"],
  properties: {
    ...{ namespace: text, name: text, owner: text, queue: text, priority: integer },
    ...{ schedule: text, timeZone: text, concurrencyPolicy: text, suspend: { type: "boolean" } },
    ...{ successfulRunHistoryLimit: integer, failedRunHistoryLimit: integer, createdAt: time },
    nextRunAt: { ...time, description: "Time for which the next run is scheduled." },
    lastRun: {
      type: "object",
      required: ["key", "name", "scheduledAt", "startedAt"],
      properties: {
        key: { ...text, description: "Key of the application, which can have been removed." },
        ...{ name: text, state, scheduledAt: time, startedAt: time },
      },
    },
    problem: { ...text, description: "Reason for which it starts no runs now, or the latest run was not started." },
    warnings: { type: "array", items: text },
  },
};

const details = {
  allOf: [
    ref("Schedule"),
    {
      type: "object",
      required: ["runs"],
      properties: {
        runs: {
          ...{ type: "array", description: "Applications of the schedule, the newest first." },
          items: {
            type: "object",
            required: ["key", "name", "state", "scheduledAt", "startedAt"],
            properties: { key: text, name: text, state, scheduledAt: time, startedAt: time, endedAt: time },
          },
        },
      },
    },
  ],
};

const scheduledSparkApplication = {
  type: "object",
  required: ["apiVersion", "kind", "metadata", "spec"],
  description: "A resource of the Spark operator.",
  properties: {
    apiVersion: { const: applicationApiVersion },
    kind: { const: "ScheduledSparkApplication" },
    metadata: { type: "object", required: ["name"], properties: { name: text } },
    spec: { type: "object" },
  },
};

/** Schemas of schedules. */
export const scheduleSchemas = {
  ...{ Schedule: schedule, ScheduleDetails: details, NewSchedule: ownScheduleJsonSchema() },
  ScheduledSparkApplication: scheduledSparkApplication,
};

const created = { oneOf: [ref("NewSchedule"), ref("ScheduledSparkApplication")] };
const page = {
  type: "object",
  required: ["total", "schedules"],
  properties: {
    total: { ...integer, description: "Number of all that match." },
    next: { ...text, description: "Value of `after` for the next page." },
    schedules: { type: "array", items: ref("Schedule") },
  },
};
const parameters = ["namespace", "name"].map((name) => ({ name, in: "path", required: true, schema: text }));
const changed = { 200: response("The schedule.", ref("Schedule")), 403: failure, 404: failure, 503: failure };

/** Paths of schedules. */
export const schedulePaths = {
  "/api/v1/schedules": {
    get: operation("List schedules, by namespace and name.", {
      parameters: [query("namespace", text), ...pageQuery],
      responses: { 200: response("A page of them.", page), 400: failure },
    }),
    post: operation("Create a schedule, whose runs are applications.", {
      parameters: [query("queue", text), query("priority", integer)],
      requestBody: { required: true, content: { ...content(created), "application/yaml": { schema: created } } },
      responses: {
        ...{ 201: response("Created.", ref("Schedule")), 200: response("Created before.", ref("Schedule")) },
        ...{ 400: failure, 403: failure, 409: failure, 415: failure, 503: failure },
      },
    }),
  },
  "/api/v1/schedules/{namespace}/{name}": {
    parameters,
    get: operation("Show a schedule with its runs.", {
      responses: { 200: response("The schedule.", ref("ScheduleDetails")), 404: failure },
    }),
    delete: operation("Remove a schedule with its applications. Those that run are killed.", {
      responses: { 204: { description: "Removed." }, 403: failure, 404: failure, 503: failure },
    }),
  },
  "/api/v1/schedules/{namespace}/{name}/suspend": {
    parameters,
    post: operation("Start no further runs.", { responses: changed }),
  },
  "/api/v1/schedules/{namespace}/{name}/resume": {
    parameters,
    post: operation("Start runs again. One that was due meanwhile starts at once.", { responses: changed }),
  },
};
