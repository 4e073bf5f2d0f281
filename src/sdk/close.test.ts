import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { kubeClient } from "../kube-client/client.ts";
import { testApi } from "../kube-client/test-api.ts";
import { Firesteel } from "./firesteel.ts";

test.each(["first request", "creation of the pod"])(
  "a client that is closed at the %s follows no driver",
  async (at) => {
    const host = testHost();
    const api = testApi(({ method, path }) => {
      if (at === "first request" || (method === "POST" && path.includes("/pods"))) void firesteel.close();
      return undefined;
    });
    const openClient = async () =>
      kubeClient({
        ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
        ...{ log: () => {}, defaultNamespace: "default" },
      });
    const firesteel = new Firesteel({ master: "k8s://https://h" }, { host, openClient });
    const submitted = firesteel.submit({ app: "local:///a.py", image: "spark:4.3.0" });
    await expect(host.settle(submitted)).rejects.toMatchObject({ name: "AbortError" });
    expect(api.requests.length).toBeGreaterThan(0);
    expect(api.requests.filter(({ path }) => path.includes("watch="))).toEqual([]);
  },
);
