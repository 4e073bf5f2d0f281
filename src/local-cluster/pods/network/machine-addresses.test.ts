import { expect, test } from "vitest";
import { machineAddresses } from "./own-network.ts";

const at = (address: string) =>
  machineAddresses({ address, apiAddress: "127.90.0.1", namedAddresses: ["127.0.1.1", "127.0.0.1", "192.0.2.2"] });

test("sockets of this machine's loopback are available to pods at the same addresses, except those of pods", () => {
  expect(at("127.5.5.5")).toEqual(["127.5.5.5"]);
  expect(at("127.91.0.2")).toEqual(["127.91.0.2"]);
  expect(at("127.90.0.1")).toEqual(["127.90.0.1"]);
  for (const address of ["127.0.0.1", "127.0.0.53", "127.90.0.2", "127.90.0.200", "127.218.0.7", "192.0.2.2"])
    expect(at(address)).toEqual([]);
});

test("sockets at all addresses are available at the node's and at those with a name", () => {
  expect(at("0.0.0.0")).toEqual(["127.90.0.1", "127.0.1.1"]);
});
