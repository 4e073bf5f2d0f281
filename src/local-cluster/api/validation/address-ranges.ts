import { BlockList, isIP } from "node:net";
import { type FieldError, invalidValue } from "./field-error.ts";

interface Range {
  readonly subnets: readonly (readonly [string, number])[];
  readonly fault: string;
}

/** Ranges whose addresses cannot be endpoints. */
const forbiddenRanges: readonly Range[] = [
  { subnets: [["0.0.0.0", 32]], fault: "may not be unspecified (0.0.0.0)" },
  { subnets: [["::", 128]], fault: "may not be unspecified (::)" },
  {
    subnets: [
      ["127.0.0.0", 8],
      ["::1", 128],
    ],
    fault: "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  },
  {
    subnets: [
      ["169.254.0.0", 16],
      ["fe80::", 10],
    ],
    fault: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    subnets: [
      ["224.0.0.0", 24],
      ["ff02::", 10],
    ],
    fault: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

/** Returns the errors of an endpoint's address. */
export function rangeErrors(address: string, field: string): FieldError[] {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  return forbiddenRanges.flatMap(({ subnets, fault }) => {
    const block = new BlockList();
    for (const [start, length] of subnets) block.addSubnet(start, length, isIP(start) === 6 ? "ipv6" : "ipv4");
    return block.check(address, family) ? [invalidValue(field, address, fault)] : [];
  });
}
