import { type AddressRange, prefixOf } from "../../service-ranges.ts";
import { isArray, isObject } from "../json.ts";
import type { Store } from "../store.ts";

/** Allocates cluster addresses and node ports of services. */
export interface Addresses {
  /** Returns a free address; `undefined` if there is none. */
  readonly freeClusterIp: () => string | undefined;
  /** Whether an address is in the cluster's network, which pods share. */
  readonly isOwn: (address: string) => boolean;
  /** Returns Kubernetes' message if an address cannot be allocated. */
  readonly clusterIpFault: (address: string) => string | undefined;
  /** Returns a free port that is not in `reserved`. */
  readonly freeNodePort: (reserved: ReadonlySet<number>) => number | undefined;
  /** Returns Kubernetes' message if a port cannot be allocated. */
  readonly nodePortFault: (port: number) => string | undefined;
}

/** Kubernetes' message about a node port that another port has. */
export const portTaken = "provided port is already allocated";

const nodePorts = { first: 30_000, last: 32_767 };

/** Creates the allocator of ranges; a range is used when those before it are full. An address is free if no stored service has it. */
export function serviceAddresses(store: Store, addressRanges: readonly AddressRange[]): Addresses {
  const ranges = addressRanges.map(({ first, last }) => {
    const highest = lastByte(last);
    return { prefix: prefixOf(first), lowest: lastByte(first), highest, lastAllocated: highest };
  });

  function takenIps(): Set<string> {
    return new Set(store.list("services").flatMap(({ spec }) => (isObject(spec) ? texts(spec["clusterIPs"]) : [])));
  }

  function takenPorts(): Set<number> {
    return new Set(
      store.list("services").flatMap(({ spec }) => {
        if (!isObject(spec)) return [];
        const ports = isArray(spec["ports"]) ? spec["ports"] : [];
        const found = [
          spec["healthCheckNodePort"],
          ...ports.map((port) => (isObject(port) ? port["nodePort"] : undefined)),
        ];
        return found.filter((port) => typeof port === "number");
      }),
    );
  }

  return {
    freeClusterIp() {
      const taken = takenIps();
      for (const range of ranges) {
        const { prefix, lowest, highest } = range;
        // Do not reuse an address soon after its release: a client may still cache it for the old service.
        for (let tries = lowest; tries <= highest; tries++) {
          range.lastAllocated = range.lastAllocated === highest ? lowest : range.lastAllocated + 1;
          const address = `${prefix}${range.lastAllocated}`;
          if (!taken.has(address)) return address;
        }
      }
      return undefined;
    },
    isOwn: (address) => ranges.some(({ prefix }) => address.startsWith(prefix)),
    clusterIpFault(address) {
      const byte = lastByte(address);
      const isInRange = ranges.some(
        ({ prefix, lowest, highest }) => address.startsWith(prefix) && byte >= lowest && byte <= highest,
      );
      if (!isInRange) return "the provided network does not match the current range";
      return takenIps().has(address) ? "provided IP is already allocated" : undefined;
    },
    freeNodePort(reserved) {
      const taken = takenPorts();
      for (let port = nodePorts.first; port <= nodePorts.last; port++)
        if (!taken.has(port) && !reserved.has(port)) return port;
      return undefined;
    },
    nodePortFault(port) {
      if (port < nodePorts.first || port > nodePorts.last) {
        const known = `${nodePorts.first}-${nodePorts.last}`;
        return `provided port is not in the valid range. The range of valid ports is ${known}`;
      }
      return takenPorts().has(port) ? portTaken : undefined;
    },
  };
}

function lastByte(address: string): number {
  return Number(address.slice(address.lastIndexOf(".") + 1));
}

function texts(value: unknown): string[] {
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
