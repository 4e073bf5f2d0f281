import { messageOf } from "../../errors/message-of.ts";
import type { Host } from "../../host/host.ts";
import { limitLog, type ServerLog } from "../../http/server-log.ts";
import { loadPackages, tracingPackages } from "./load-packages.ts";
import { openTelemetryTracing } from "./open-telemetry-tracing.ts";
import { noTracing, type Tracing } from "./tracing.ts";

/** Variables that name the receiver of traces. Source: OpenTelemetry, "OTLP Exporter Configuration". */
const endpointVariables = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"] as const;
const protocolVariables = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const;

/** Opens the tracing that the variables of OpenTelemetry require. If it cannot, logs a warning, and records nothing. */
export async function openTracing(host: Host, log: ServerLog): Promise<Tracing> {
  const { env, files, programPath, clock } = host;
  const variable = tracingVariable(env);
  if (variable === undefined) return noTracing;
  const address = env[variable] ?? "";
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    log("WARN", "Traces are not recorded, because the address of their receiver is not an http or https URL.", {
      variable,
    });
    return noTracing;
  }
  reportProtocol(env, log);
  try {
    const packages = await loadPackages(files.realPath(programPath) ?? programPath);
    return openTelemetryTracing(packages, { clock, log: limitLog(log, clock) });
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    const install = `npm install ${tracingPackages.join(" ")}`;
    log("WARN", "Traces are not recorded, because the packages of OpenTelemetry cannot be loaded.", {
      ...{ variable, reason, install },
    });
    return noTracing;
  }
}

/** Returns the variable that names a receiver; `undefined` if nothing must be recorded. */
export function tracingVariable(env: Host["env"]): string | undefined {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none") return undefined;
  return endpointVariables.find((name) => (env[name] ?? "") !== "");
}

/** Logs if the variables require another protocol than that of the exporter. It does not read them. */
function reportProtocol(env: Host["env"], log: ServerLog): void {
  const variable = protocolVariables.find((name) => (env[name] ?? "") !== "");
  const protocol = variable && env[variable];
  if (protocol === undefined || protocol === "http/json") return;
  // Most receivers of protobuf accept JSON at the same address.
  const level = protocol === "http/protobuf" ? "INFO" : "WARN";
  log(
    level,
    "Traces are sent by OTLP over HTTP with JSON, the only supported protocol. Receivers usually accept it on port 4318.",
    { variable, protocol, supported: "http/json" },
  );
}
