import { dirname } from "node:path";
import { findModule } from "../../host/find-module.ts";

/** Optional packages of OpenTelemetry, as arguments of `npm install`. Later releases of the exporter need Node 22. */
export const tracingPackages = [
  "@opentelemetry/api@1.9",
  "@opentelemetry/sdk-trace-base@2.12",
  "@opentelemetry/resources@2.12",
  "@opentelemetry/exporter-trace-otlp-http@0.223",
] as const;

/** The packages of OpenTelemetry. */
export interface TracingPackages {
  readonly api: typeof import("@opentelemetry/api");
  readonly sdk: typeof import("@opentelemetry/sdk-trace-base");
  readonly resources: typeof import("@opentelemetry/resources");
  readonly exporter: typeof import("@opentelemetry/exporter-trace-otlp-http");
}

/** Loads the packages, which are installed beside a program. @throws Node's error if one is missing */
export async function loadPackages(programPath: string): Promise<TracingPackages> {
  const load = (name: string) => import(findModule(dirname(programPath), name).href);
  return {
    api: await load("@opentelemetry/api"),
    sdk: await load("@opentelemetry/sdk-trace-base"),
    resources: await load("@opentelemetry/resources"),
    exporter: await load("@opentelemetry/exporter-trace-otlp-http"),
  };
}
