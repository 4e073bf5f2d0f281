import type { Setting } from "../../../conf/setting.ts";
import { issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { GatewaySettings } from "../../../gateway/settings.ts";
import type { Host } from "../../../host/host.ts";
import type { ParsedOptions } from "../../parsed-options.ts";
import { isPort, standaloneSettings } from "./standalone-settings.ts";

export const gatewayFlags = ["--csrf"] as const;
export const gatewayValues = [
  ...(["--port", "--host", "--cluster", "--auth", "--name", "--prefix", "-n", "--namespace", "--context"] as const),
  ...(["--rest-port", "--rest-host"] as const),
] as const;

type Options = ParsedOptions<(typeof gatewayFlags)[number], (typeof gatewayValues)[number]>;

interface SettingsInput {
  readonly namespace: string;
  /** Settings of the command line and the properties file. */
  readonly defaults: ReadonlyMap<string, Setting>;
}

const connectionKeys =
  /^spark\.(master(\..*)?|org\.apache\.spark\.ui\..*|submit\.deployMode|kubernetes\.context|kubernetes\.authenticate\.submission\..*)$/;

/** Builds the settings of a gateway. @throws SUBMIT_ERR_ARG_VALUE, with every problem */
export function gatewaySettings(
  { user, env }: Pick<Host, "user" | "env">,
  options: Options,
  { namespace, defaults }: SettingsInput,
): GatewaySettings {
  const port = options.value("--port") ?? "8998";
  const address = options.value("--host") ?? "127.0.0.1";
  const standalone = standaloneSettings({
    ...{ port: options.value("--rest-port"), address: options.value("--rest-host"), gatewayAddress: address },
    ...{ env, defaults },
  });
  throwIssues([
    ...(isPort(port)
      ? []
      : [issue("SUBMIT_ERR_ARG_VALUE", { option: "--port", value: port, allowed: "a number from 0 to 65535" })]),
    ...standalone.issues,
  ]);
  const settings = [...defaults.values()].filter(({ key }) => key.startsWith("spark.") && !connectionKeys.test(key));
  return {
    name: options.value("--name") ?? "gateway",
    address,
    port: Number(port),
    prefix: (options.value("--prefix") ?? "").replace(/\/+$/, ""),
    ...{ ownNamespace: namespace, namespace, namespaces: [namespace] },
    defaults: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
    user: user.name,
    standalone: standalone.settings,
    livy: {
      isCsrfProtected: options.has("--csrf"),
      isImpersonating: false,
      rejectedSettings: [],
      localDirectories: [],
    },
    limits: { maxBodyBytes: 4 * 1024 * 1024, maxConcurrentSubmissions: 16, drainMs: 10_000 },
  };
}
