import { isIP } from "node:net";
import type { Endpoints } from "kubernetes-types/core/v1.d.ts";
import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.d.ts";
import { rangeErrors } from "./address-ranges.ts";
import { duplicate, type FieldError, invalidValue, notSupported, required } from "./field-error.ts";
import { dnsLabel } from "./names.ts";
import { ipFault, portFault } from "./numbers.ts";

const protocols = ["SCTP", "TCP", "UDP"];

/** Network of the cluster. Its pods are on this machine, so loopback addresses of its network are valid endpoints. */
interface Network {
  readonly isOwn: (address: string) => boolean;
}

function networkErrors(address: string, field: string, { isOwn }: Network): FieldError[] {
  return isOwn(address) ? [] : rangeErrors(address, field);
}

interface Slice {
  readonly addressType: string;
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports: readonly EndpointPort[] | null;
}

/** Returns the errors of a slice of endpoints. */
export function sliceErrors({ addressType, endpoints, ports }: Slice, network: Network): FieldError[] {
  const types = ["FQDN", "IPv4", "IPv6"];
  return [
    ...(addressType === "" ? [required("addressType")] : []),
    ...(addressType === "" || types.includes(addressType) ? [] : [notSupported("addressType", addressType, types)]),
    ...slicePortErrors(ports ?? []),
    ...(endpoints ?? []).flatMap((endpoint, index) => {
      const field = `endpoints[${index}]`;
      const { hostname } = endpoint;
      const addresses = endpoint.addresses ?? [];
      return [
        ...(addresses.length === 0 ? [required(`${field}.addresses`, "must contain at least 1 address")] : []),
        ...(addressType === "FQDN" ? [] : addresses).flatMap((address, at) => [
          ...familyErrors(address, `${field}.addresses`, addressType),
          ...addressErrors(address, `${field}.addresses[${at}]`, network),
        ]),
        ...(hostname === undefined
          ? []
          : dnsLabel(hostname).map((fault) => invalidValue(`${field}.hostname`, hostname, fault))),
      ];
    }),
  ];
}

function familyErrors(address: string, field: string, addressType: string): FieldError[] {
  const family = isIP(address);
  if (family === 0 || addressType === `IPv${family}`) return [];
  return [invalidValue(field, address, `must be an ${addressType} address`)];
}

function addressErrors(address: string, field: string, network: Network): FieldError[] {
  const fault = ipFault(address);
  return fault === undefined ? networkErrors(address, field, network) : [invalidValue(field, address, fault)];
}

function slicePortErrors(ports: readonly EndpointPort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol = "TCP" }, index) => {
    const field = `ports[${index}]`;
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...(name === "" ? [] : dnsLabel(name).map((fault) => invalidValue(`${field}.name`, name, fault))),
      ...(isTaken ? [duplicate(`${field}.name`, name)] : []),
      ...(protocols.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
    ];
  });
}

/** Returns the errors of the subsets of an Endpoints object. */
export function subsetErrors(subsets: NonNullable<Endpoints["subsets"]>, network: Network): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`;
    const isEmpty = addresses.length + notReadyAddresses.length === 0;
    const lists = Object.entries({ addresses, notReadyAddresses });
    return [
      ...(isEmpty ? [required(field, "must specify `addresses` or `notReadyAddresses`")] : []),
      ...lists.flatMap(([list, all]) =>
        all.flatMap(({ ip }, at) => subsetAddressErrors(ip, `${field}.${list}[${at}].ip`, network)),
      ),
      ...ports.flatMap(({ name = "", port, protocol = "TCP" }, at) => {
        const portField = `${field}.ports[${at}]`;
        const fault = portFault(port);
        return [
          ...(name === "" && ports.length > 1 ? [required(`${portField}.name`)] : []),
          ...(name === "" ? [] : dnsLabel(name).map((text) => invalidValue(`${portField}.name`, name, text))),
          ...(fault === undefined ? [] : [invalidValue(`${portField}.port`, port, fault)]),
          ...(protocols.includes(protocol) ? [] : [notSupported(`${portField}.protocol`, protocol, protocols)]),
        ];
      }),
    ];
  });
}

function subsetAddressErrors(address: string, field: string, network: Network): FieldError[] {
  const fault = ipFault(address);
  if (fault === undefined) return networkErrors(address, field, network);
  return [invalidValue(field, address, fault), invalidValue(field, address, "must be a valid IP address")];
}
