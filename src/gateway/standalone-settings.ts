import { masterRestFilters, masterRestTokenKey } from "../conf/entries/rest-server.ts";
import type { Setting } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { resolveSparkVersion } from "../resolve/resolve-spark-version.ts";
import { invalidOption } from "./invalid-option.ts";
import { parsePort, portRange } from "./parse-port.ts";
import type { StandaloneSettings } from "./settings.ts";

interface StandaloneInput {
  /** Values of `--rest-port` and `--rest-host`. */
  readonly port: string | undefined;
  readonly address: string | undefined;
  /** Address of the gateway's port. */
  readonly gatewayAddress: string;
  readonly env: Host["env"];
  /** Settings of the command line and the properties file. */
  readonly defaults: ReadonlyMap<string, Setting>;
}

/** Settings, and everything that is wrong with them. */
export interface ParsedStandaloneSettings {
  readonly settings: StandaloneSettings;
  readonly issues: readonly Issue[];
}

const loopback = "127.0.0.1";
const tokenFilter = "org.apache.spark.ui.JWSFilter";
/** Source: RFC 7518, 3.2. */
const minKeyBytes = 32;

/**
 * Builds the settings of the standalone protocol. Without a filter, its own port is on the loopback address unless an option names another.
 *
 * @throws SUBMIT_ERR_SPARK_VERSION
 */
export function standaloneSettings(input: StandaloneInput): ParsedStandaloneSettings {
  const { port, address, gatewayAddress, env, defaults } = input;
  const version = orThrow(resolveSparkVersion({ settings: defaults, env, localSpark: () => undefined }));
  const tokenKey = readTokenKey(defaults);
  const number = port === undefined ? undefined : parsePort(port);
  const issues = [
    ...(port !== undefined && number === undefined ? [invalidOption("--rest-port", port, portRange)] : []),
    ...(address !== undefined && port === undefined
      ? [invalidOption("--rest-host", address, "an address together with --rest-port")]
      : []),
    ...tokenKey.issues,
  ];
  const defaultAddress = tokenKey.key === undefined ? loopback : gatewayAddress;
  const listener = number === undefined ? undefined : { address: address ?? defaultAddress, port: number };
  return { settings: { version, tokenKey: tokenKey.key, listener }, issues };
}

function readTokenKey(defaults: StandaloneInput["defaults"]): {
  readonly key: Uint8Array | undefined;
  readonly issues: readonly Issue[];
} {
  const filters = (defaults.get(masterRestFilters.key)?.value ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = filters.filter((name) => name !== tokenFilter);
  const issues = unknown.map((value) =>
    issue("SUBMIT_ERR_SETTING_VALUE", {
      ...{ key: masterRestFilters.key, value, condition: false },
      requirement: `The gateway has only the filter ${tokenFilter}.`,
    }),
  );
  if (!filters.includes(tokenFilter)) return { key: undefined, issues };
  const key = Buffer.from(defaults.get(masterRestTokenKey.key)?.value ?? "", "base64url");
  if (key.length >= minKeyBytes) return { key, issues };
  const requirement = `${masterRestTokenKey.key} must have at least ${minKeyBytes} bytes, as Base64 for URLs.`;
  const short = { key: masterRestFilters.key, value: tokenFilter, requirement, condition: false };
  return { key, issues: [...issues, issue("SUBMIT_ERR_SETTING_VALUE", short)] };
}
