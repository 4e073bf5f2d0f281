import * as driver from "../../conf/entries/driver.ts";
import { withoutBrackets } from "../../host/address.ts";
import type { Host } from "../../host/host.ts";

/** Facts about the network that decide whether executors can reach a local driver. */
export interface ReachFacts {
  /** Setting or variable with the driver's address, and its addresses as resolved here. `undefined` if Spark chooses. */
  readonly named: { readonly name: string; readonly value: string; readonly addresses: readonly string[] } | undefined;
  /** Address that Spark will listen at. `fault` is Node's code if it cannot, e.g. EADDRNOTAVAIL. */
  readonly listening: { readonly name: string; readonly address: string; readonly fault: string | undefined };
  /** Specified ports that another program uses. */
  readonly takenPorts: readonly { readonly key: string; readonly port: number }[];
  /** Local address of connections to the API. */
  readonly outgoing: string | undefined;
}

/**
 * Collects the facts by trying what Spark will do: resolves the driver's host name and listens briefly at the driver's ports.
 *
 * Source: Spark documentation, configuration: `spark.driver.bindAddress` defaults to `spark.driver.host`.
 */
export async function findReach(
  { env, network }: Host,
  { setting, apiServer }: { setting: (key: string) => string | undefined; apiServer: string },
): Promise<ReachFacts> {
  const sources: readonly (readonly [string, string | undefined])[] = [
    [driver.driverHost.key, setting(driver.driverHost.key)],
    ["SPARK_LOCAL_HOSTNAME", env["SPARK_LOCAL_HOSTNAME"]],
    ["SPARK_LOCAL_IP", env["SPARK_LOCAL_IP"]],
  ];
  const [name, value = ""] = sources.find(([, text]) => (text ?? "") !== "") ?? [];
  const named =
    name === undefined ? undefined : { name, value, addresses: await network.lookUp(withoutBrackets(value)) };
  const bindKey = driver.driverBindAddress.key;
  const bind = setting(bindKey);
  const address = withoutBrackets(bind ?? (value || "0.0.0.0"));
  const fault = await network.tryListening(address, 0);
  return {
    named,
    listening: { name: bind === undefined ? (name ?? bindKey) : bindKey, address, fault },
    takenPorts: fault === undefined ? await takenPorts(network, address, setting) : [],
    outgoing: await network.addressToward(withoutBrackets(new URL(apiServer).hostname)),
  };
}

async function takenPorts(network: Host["network"], address: string, setting: (key: string) => string | undefined) {
  const specified = [driver.driverPort.key, driver.driverBlockManagerPort.key]
    .map((key) => ({ key, port: Number(setting(key)) }))
    .filter(({ port }) => Number.isInteger(port) && port > 0 && port < 65_536);
  const faults = await Promise.all(specified.map(({ port }) => network.tryListening(address, port)));
  return specified.filter((_, index) => faults[index] === "EADDRINUSE");
}
