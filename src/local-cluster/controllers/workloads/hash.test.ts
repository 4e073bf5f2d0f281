import { expect, test } from "vitest";
import { hashOf } from "./hash.ts";

test("a revision has the same hash as in Kubernetes", () => {
  const container = {
    ...{ name: "a", image: "x:1", resources: {}, imagePullPolicy: "IfNotPresent" },
    ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
  };
  const spec = {
    ...{ containers: [container], restartPolicy: "Always", terminationGracePeriodSeconds: 30 },
    ...{ dnsPolicy: "ClusterFirst", securityContext: {}, schedulerName: "default-scheduler" },
  };
  const metadata = { labels: { app: "s" }, annotations: { x: "y" } };
  expect(hashOf({ spec: { template: { metadata, spec, $patch: "replace" } } })).toBe("56b7bf8f6c");
});
