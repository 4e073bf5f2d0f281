import { applicationApiVersion } from "../../spark-application/application.ts";
import { ownJsonSchema } from "../../spark-application/own/json-schema.ts";
import { gatewayStates, protocols } from "../model/application.ts";
import { schedulerKinds } from "../queue/queue-rules.ts";
import { content, failure, integer, operation, pageQuery, query, ref, response, text, time } from "./open-api-parts.ts";
import { schedulePaths, scheduleSchemas } from "./open-api-schedules.ts";

const state = { type: "string", enum: gatewayStates };

const application = {
  type: "object",
  required: [
    "key",
    "protocol",
    "id",
    "namespace",
    "podName",
    "priority",
    "attempt",
    "state",
    "acceptedAt",
    "executors",
  ],
  properties: {
    key: { ...text, description: "Unique name of the application in the gateway." },
    protocol: { ...text, enum: protocols },
    id: { ...text, description: "ID for the clients of its protocol." },
    ...{ name: text, owner: text, proxyUser: text, namespace: text, podName: text, queue: text, priority: integer },
    attempt: { ...integer, description: "Number of the attempt, from 1." },
    appId: { ...text, description: "Application ID of Spark." },
    state,
    reason: { ...text, description: "Short reason of the state." },
    message: {
      ...text,
      description: "Reason of a failure and the next step, or what the scheduler says about a pending driver.",
    },
    exitCode: integer,
    position: { ...integer, description: "Position in the queue, from 1." },
    ...{ acceptedAt: time, startedAt: time, endedAt: time, nodeName: text },
    uiUrl: { ...text, description: "Path of the Spark UI of a running application." },
    historyUrl: {
      ...text,
      description: "URL of an ended application on the history server, or its path if the gateway serves it.",
    },
    warnings: {
      ...{ type: "array", items: text },
      description:
        "Fields of a submitted SparkApplication that have no effect, or another one than with the Spark operator.",
    },
    killedBy: { ...text, description: "User or schedule that killed it, or anonymous." },
    schedule: { ...text, description: "Name of the schedule that has started it." },
    executors: {
      type: "object",
      required: ["running", "failed", "total"],
      properties: { running: integer, failed: integer, total: integer },
    },
  },
};

const executor = {
  type: "object",
  required: ["id", "podName", "state"],
  properties: { id: text, podName: text, state: text, reason: text, createdAt: time, endedAt: time },
};

const details = {
  allOf: [
    { $ref: "#/components/schemas/Application" },
    {
      type: "object",
      required: ["history", "executorList", "submissionLog"],
      properties: {
        history: {
          type: "array",
          items: { type: "object", required: ["state", "time"], properties: { state: text, time } },
        },
        executorList: { type: "array", items: executor },
        submissionLog: { type: "array", items: text },
        log: {
          ...{ type: "object", required: ["state"], description: "Whether the complete log of the driver is kept." },
          properties: { state: { type: "string", enum: ["pending", "kept", "failed"] }, reason: text },
        },
      },
    },
  ],
};

const problem = {
  type: "object",
  required: ["title", "status", "detail"],
  properties: {
    ...{ title: text, status: integer, detail: text },
    issues: {
      type: "array",
      items: { type: "object", required: ["code", "message"], properties: { code: text, message: text, hint: text } },
    },
  },
};

const logPage = {
  type: "object",
  required: ["lines", "from", "total"],
  properties: { lines: { type: "array", items: text }, from: integer, total: integer },
};

/** Builds the description of the API, OpenAPI 3.1. */
export function openApi(): object {
  const key = { name: "key", in: "path", required: true, schema: text };
  return {
    openapi: "3.1.0",
    info: { title: "Firesteel gateway", version: "1" },
    paths: {
      "/api/v1/applications": {
        get: operation("List applications, the newest first.", {
          parameters: [
            ...["state", "owner", "namespace", "name", "protocol", "queue"].map((name) => query(name, text)),
            ...[...pageQuery, query("order", text)],
          ],
          responses: { 200: response("A page.", pageSchema), 400: failure },
        }),
        post: operation("Submit an application.", {
          parameters: [
            { name: "Idempotency-Key", in: "header", schema: text },
            ...[query("queue", text), query("priority", integer)],
          ],
          requestBody: {
            required: true,
            content: { ...content(submitted), "application/yaml": { schema: submitted } },
          },
          responses: {
            ...{
              201: response("Accepted.", ref("Application")),
              200: response("Accepted before.", ref("Application")),
            },
            ...{ 400: failure, 409: failure, 415: failure, 429: failure, 503: failure },
          },
        }),
      },
      "/api/v1/applications/{key}": {
        parameters: [key],
        get: operation("Show an application.", {
          responses: { 200: response("The application.", ref("ApplicationDetails")), 404: failure },
        }),
        delete: operation("Kill an application, and remove it from the list.", {
          responses: { 204: { description: "Removed." }, 404: failure },
        }),
      },
      "/api/v1/applications/{key}/kill": {
        parameters: [key],
        post: operation("Kill an application.", {
          responses: { 202: response("It is being killed.", ref("Application")), 404: failure, 409: failure },
        }),
      },
      "/api/v1/applications/{key}/retry": {
        parameters: [key],
        post: operation("Submit an ended application again.", {
          responses: { 202: response("It is submitted.", ref("Application")), 404: failure, 409: failure },
        }),
      },
      "/api/v1/applications/{key}/log": {
        parameters: [key],
        get: operation("Read the driver's log. With follow=true, a stream of events `lines` and `end`.", {
          parameters: [query("from", integer), query("limit", integer), query("follow", { type: "boolean" })],
          responses: { 200: response("Lines.", logPage), 400: failure, 404: failure },
        }),
      },
      "/api/v1/applications/{key}/events": {
        parameters: [key],
        get: operation("List the Kubernetes events about the application.", {
          responses: { 200: response("Events.", eventsSchema), 404: failure },
        }),
      },
      "/api/v1/applications/{key}/diagnosis": {
        parameters: [key],
        get: operation("Explain why the application waits, makes no progress or has failed. It takes up to 6 s.", {
          responses: { 200: response("The reason and the next step.", diagnosisSchema), 404: failure },
        }),
      },
      "/api/v1/applications/{key}/explain": {
        parameters: [key],
        get: operation(
          "Show the settings in effect and the fields of all objects, with their origins. Secrets are hidden.",
          {
            responses: { 200: response("The explanation.", explanationSchema), 404: failure, 409: failure },
          },
        ),
      },
      ...schedulePaths,
      "/api/v1/queues": {
        get: operation("Show the queues with their limits, and samples of their use, the oldest first.", {
          responses: { 200: response("The queues.", queuesSchema) },
        }),
      },
      "/api/v1/session": {
        get: operation("Show the user of the request.", { responses: { 200: response("The user.", sessionSchema) } }),
      },
      "/api/v1/changes": {
        get: operation("Follow all applications: a stream of events `application`, `removed` and `start`.", {
          responses: { 200: { description: "Server-sent events.", content: { "text/event-stream": {} } } },
        }),
      },
    },
    webhooks: {
      application: {
        post: operation("A change of an application, signed as Standard Webhooks defines.", {
          parameters: ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
            return { name, in: "header", required: true, schema: text };
          }),
          requestBody: { required: true, content: content(webhookSchema) },
          responses: { "2XX": { description: "Delivered." }, 410: { description: "No more events." } },
        }),
      },
    },
    components: {
      schemas: {
        ...{ Application: application, ApplicationDetails: details, Problem: problem, NewApplication: ownJsonSchema() },
        ...{ SparkApplication: sparkApplication, ...scheduleSchemas },
      },
    },
  };
}

const submitted = { oneOf: [ref("NewApplication"), ref("SparkApplication")] };

const sparkApplication = {
  type: "object",
  required: ["apiVersion", "kind", "metadata", "spec"],
  description: "A resource of the Spark operator.",
  properties: {
    apiVersion: { const: applicationApiVersion },
    kind: { const: "SparkApplication" },
    metadata: { type: "object", required: ["name"], properties: { name: text } },
    spec: { type: "object" },
  },
};

const webhookSchema = {
  type: "object",
  required: ["type", "timestamp", "data"],
  properties: {
    type: { ...text, description: "application. and the new state." },
    ...{ timestamp: time, data: ref("ApplicationDetails") },
  },
};

const pageSchema = {
  type: "object",
  required: ["total", "applications"],
  properties: {
    total: integer,
    next: { ...text, description: "Value of `after` for the next page." },
    applications: { type: "array", items: ref("Application") },
  },
};

const sessionSchema = {
  type: "object",
  properties: { user: text, logoutUrl: { ...text, description: "Path that ends the session of a browser, by POST." } },
};

const eventSchema = {
  type: "object",
  properties: { time, type: text, reason: text, object: text, count: integer, message: text },
};

const eventsSchema = {
  type: "object",
  required: ["events"],
  properties: { events: { type: "array", items: eventSchema } },
};

const diagnosisSchema = { type: "object", properties: { message: text } };

const explanationSchema = {
  type: "object",
  required: ["settings", "fields"],
  properties: {
    settings: {
      type: "array",
      items: {
        type: "object",
        required: ["key", "value", "origin"],
        properties: { key: text, value: text, origin: text },
      },
    },
    fields: {
      type: "array",
      items: {
        type: "object",
        required: ["object", "path", "value", "steps", "causes"],
        properties: {
          ...{ object: text, path: text, value: {} },
          steps: { type: "array", items: text },
          causes: { type: "array", items: text },
        },
      },
    },
  },
};

const use = { running: integer, waiting: integer, cores: { type: "number" }, memoryMiB: { type: "number" } };

const queuesSchema = {
  type: "object",
  required: ["queues", "samples"],
  properties: {
    queues: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "weight", "limits", ...Object.keys(use)],
        properties: {
          ...{ name: text, weight: { type: "number" }, ...use },
          limits: {
            type: "object",
            properties: { maxRunning: integer, maxCores: { type: "number" }, maxMemoryMiB: { type: "number" } },
          },
          scheduler: { type: "object", properties: { kind: { enum: schedulerKinds }, queue: text } },
        },
      },
    },
    samples: {
      type: "array",
      items: {
        type: "object",
        required: ["time", "queues"],
        properties: {
          time,
          queues: {
            type: "array",
            items: { type: "object", required: ["queue", ...Object.keys(use)], properties: { queue: text, ...use } },
          },
        },
      },
    },
  },
};
