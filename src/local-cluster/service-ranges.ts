/** Addresses `first` to `last` of one /24. */
export interface AddressRange {
  readonly first: string;
  readonly last: string;
}

/** The first three numbers of an address, e.g. `127.90.0.` */
export function prefixOf(address: string): string {
  return address.slice(0, address.lastIndexOf(".") + 1);
}

/**
 * Returns the ranges of a cluster's services, in the order of allocation: the upper end of the API's /24, which ends with the pods'
 * addresses, then a /24 in the other half of the loopback network, in which no cluster listens by default.
 */
export function serviceRanges(apiAddress: string): readonly AddressRange[] {
  const prefix = prefixOf(apiAddress);
  const overflow = overflowPrefix(apiAddress);
  return [
    { first: `${prefix}200`, last: `${prefix}254` },
    { first: `${overflow}1`, last: `${overflow}254` },
  ];
}

/** Returns the prefixes of a cluster's pods and services, the API's own first. */
export function clusterPrefixes(apiAddress: string): readonly string[] {
  return [prefixOf(apiAddress), overflowPrefix(apiAddress)];
}

/** Returns whether an address is that of a pod or service. */
export function isClusterAddress(address: string, apiAddress: string): boolean {
  return address !== apiAddress && clusterPrefixes(apiAddress).some((prefix) => address.startsWith(prefix));
}

function overflowPrefix(apiAddress: string): string {
  const [network = "", block = "", cluster = ""] = apiAddress.split(".");
  return `${network}.${(Number(block) + 128) % 256}.${cluster}.`;
}
