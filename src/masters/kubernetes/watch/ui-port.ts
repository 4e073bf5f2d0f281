import type { Pod } from "../../../kube/types.ts";

const portName = "spark-ui";
const defaultPort = 4040;

/** Returns the port of a driver's UI. */
export function uiPortOf({ spec }: Pod): number {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === portName)?.containerPort ?? defaultPort;
}
