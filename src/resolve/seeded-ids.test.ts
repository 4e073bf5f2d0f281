import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppId } from "../values/identity.ts";
import { seededIds } from "./seeded-ids.ts";

test("seededIds returns the same IDs for a seed on every machine and in every version", () => {
  expect(seededIds("nightly-2026-11-21")).toEqual({
    appId: "spark-4ab3595c76976b3e4b6c20c51d4dded9",
    uniqueIds: {
      resourceNamePrefix: "dfe42d514e1ff0d4",
      driverService: "ce7697a3159a38c6",
      confMap: "44389bb353eb2c98",
    },
    localDirUuid: "08026ac9-540e-8209-878c-ab7f324bca11",
  });
});

test("seededIds returns different IDs in the format of random ones", () => {
  fc.assert(
    fc.property(fc.string(), (seed) => {
      const { appId, uniqueIds, localDirUuid } = seededIds(seed);
      expect(isAppId(appId)).toBe(true);
      expect(localDirUuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      const all = Object.values(uniqueIds);
      for (const id of all) expect(id).toMatch(/^[0-9a-f]{16}$/);
      expect(new Set(all).size).toBe(3);
    }),
  );
});

test("seededIds returns different IDs for different seeds", () => {
  expect(seededIds("a").appId).not.toBe(seededIds("b").appId);
  expect(seededIds("a").uniqueIds.resourceNamePrefix).not.toBe(seededIds("b").uniqueIds.resourceNamePrefix);
});
