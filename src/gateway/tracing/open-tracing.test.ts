import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { openTracing, tracingVariable } from "./open-tracing.ts";
import { noTracing } from "./tracing.ts";

const endpoint = "http://127.0.0.1:4318";

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" }, undefined],
])("%j is recorded because of %s", (env, variable) => {
  expect(tracingVariable(env)).toBe(variable);
});

test("warns once if the packages are missing, or the address is not a URL", async () => {
  const logged: unknown[] = [];
  const open = (address: string) =>
    openTracing(
      { ...testHost(), env: { OTEL_EXPORTER_OTLP_ENDPOINT: address }, programPath: "/opt/none/firesteel" },
      (...entry) => logged.push(entry),
    );
  expect(await open(endpoint)).toBe(noTracing);
  expect(await open("collector:4318")).toBe(noTracing);
  const fields = { variable: "OTEL_EXPORTER_OTLP_ENDPOINT" };
  expect(logged).toEqual([
    [
      "WARN",
      expect.stringContaining("packages"),
      {
        ...fields,
        reason: expect.stringContaining("Cannot find module"),
        install: expect.stringMatching(/^npm install @opentelemetry\/api@/),
      },
    ],
    ["WARN", expect.stringContaining("not an http or https URL"), fields],
  ]);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "WARN", "OTEL_EXPORTER_OTLP_PROTOCOL"],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" },
    "WARN",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  ],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }, "INFO", "OTEL_EXPORTER_OTLP_PROTOCOL"],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" }, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "" }, undefined, undefined],
])("with %j, says at level %s that another protocol is used than that of %s", async (env, level, variable) => {
  const logged: unknown[][] = [];
  await openTracing(
    { ...testHost(), env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317", ...env } },
    (...entry) => logged.push(entry),
  );
  const reports = logged.filter(([, text]) => String(text).includes("the only supported protocol"));
  expect(reports).toEqual(
    level === undefined
      ? []
      : [[level, expect.stringContaining("port 4318"), expect.objectContaining({ variable, supported: "http/json" })]],
  );
});
