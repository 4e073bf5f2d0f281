import { isArray, isObject } from "../json.ts";
import type { Store } from "../store.ts";

/** Hands out what services need one of each: addresses inside the cluster, and ports of the node. */
export interface Addresses {
  /** A free address; `undefined` when all are taken. */
  readonly freeClusterIp: () => string | undefined;
  /** Of the cluster's own network, where pods are, too. */
  readonly isOwn: (address: string) => boolean;
  /** Why an address cannot be had, in Kubernetes' words; `undefined` when it can. */
  readonly refuseClusterIp: (address: string) => string | undefined;
  /** A free port, none of those that are given away already. */
  readonly freeNodePort: (given: ReadonlySet<number>) => number | undefined;
  readonly refuseNodePort: (port: number) => string | undefined;
}

/** `first` and `last` of a range in one /24, e.g. 127.90.0.200 to 127.90.0.254. */
export interface AddressRange {
  readonly first: string;
  readonly last: string;
}

const nodePorts = { first: 30_000, last: 32_767 };

/** Addresses are free when no service in the store has them. */
export function serviceAddresses(store: Store, range: AddressRange): Addresses {
  const prefix = range.first.slice(0, range.first.lastIndexOf(".") + 1);
  const lowest = lastByte(range.first);
  const highest = lastByte(range.last);
  let latest = highest;

  function takenIps(): Set<string> {
    return new Set(
      store.list("services").flatMap(({ spec }) => (isObject(spec) ? texts(spec["clusterIPs"]) : [])),
    );
  }

  function takenPorts(): Set<number> {
    return new Set(
      store.list("services").flatMap(({ spec }) => {
        const ports = isObject(spec) && isArray(spec["ports"]) ? spec["ports"] : [];
        return ports.flatMap((port) =>
          isObject(port) && typeof port["nodePort"] === "number" ? [port["nodePort"]] : [],
        );
      }),
    );
  }

  return {
    freeClusterIp() {
      const taken = takenIps();
      const count = highest - lowest + 1;
      // One that was just given back is not given to the next: somebody may still hold it for the old one's.
      for (let tries = 0; tries < count; tries++) {
        latest = latest === highest ? lowest : latest + 1;
        if (!taken.has(prefix + latest)) return prefix + latest;
      }
      return undefined;
    },
    isOwn: (address) => address.startsWith(prefix),
    refuseClusterIp(address) {
      const byte = lastByte(address);
      if (!address.startsWith(prefix) || byte < lowest || byte > highest) {
        return "the provided network does not match the current range";
      }
      return takenIps().has(address) ? "provided IP is already allocated" : undefined;
    },
    freeNodePort(given) {
      const taken = takenPorts();
      for (let port = nodePorts.first; port <= nodePorts.last; port++)
        if (!taken.has(port) && !given.has(port)) return port;
      return undefined;
    },
    refuseNodePort(port) {
      if (port < nodePorts.first || port > nodePorts.last) {
        const known = `${nodePorts.first}-${nodePorts.last}`;
        return `provided port is not in the valid range. The range of valid ports is ${known}`;
      }
      return takenPorts().has(port) ? "provided port is already allocated" : undefined;
    },
  };
}

function lastByte(address: string): number {
  return Number(address.slice(address.lastIndexOf(".") + 1));
}

function texts(value: unknown): string[] {
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
