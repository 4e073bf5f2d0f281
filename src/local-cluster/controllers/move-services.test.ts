import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";
import { moveServices } from "./move-services.ts";

test("services keep the last number of their address when the API's address changes, in both ranges", () => {
  const { store } = testApi().scope;
  const create = (name: string, clusterIP: string) =>
    store.create("services", {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" } },
      spec: { clusterIP, clusterIPs: [clusterIP] },
    });
  create("first", "127.90.0.201");
  create("second", "127.218.0.7");
  create("headless", "None");
  moveServices(store, "127.90.0.1", "127.90.3.1");
  const specOf = (name: string) => store.get("services", "default", name)?.["spec"];
  expect(specOf("first")).toEqual({ clusterIP: "127.90.3.201", clusterIPs: ["127.90.3.201"] });
  expect(specOf("second")).toEqual({ clusterIP: "127.218.3.7", clusterIPs: ["127.218.3.7"] });
  expect(specOf("headless")).toMatchObject({ clusterIP: "None" });
});
