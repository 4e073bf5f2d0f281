import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { chooseUi, waitForUi } from "./ui.ts";

function driver(pod: string, born: string, { phase = "Running", ports = true } = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ name: pod, namespace: "jobs", creationTimestamp: born },
      labels: { "spark-app-selector": `spark-${pod}`, "spark-app-name": "pi" },
    },
    spec: {
      containers: [
        { name: "side" },
        { name: "driver", ...(ports ? { ports: [{ name: "spark-ui", containerPort: 4041 }] } : {}) },
      ],
    },
    status: { phase, podIP: "127.90.0.7" },
  };
}

const pods = [
  driver("old", "2026-11-22T01:00:00Z"),
  driver("ended", "2026-11-22T03:00:00Z", { phase: "Succeeded" }),
  driver("closed", "2026-11-22T04:00:00Z", { ports: false }),
  driver("new", "2026-11-22T02:00:00Z"),
];

test("chooses the newest running driver by default, else the requested one", () => {
  expect(chooseUi(pods, undefined)).toEqual({
    ...{ namespace: "jobs", pod: "new", application: "spark-new", name: "pi" },
    url: "http://127.90.0.7:4041",
  });
  for (const id of ["old", "jobs:old", "spark-old"]) expect(chooseUi(pods, id).pod).toBe("old");
});

test("rejects a driver that has ended or has no UI, and lists the running ones", () => {
  for (const id of ["ended", "closed"]) {
    expect(() => chooseUi(pods, id)).toThrow(
      expect.objectContaining({
        code: "SUBMIT_ERR_UI_NOT_FOUND",
        issues: [expect.objectContaining({ hint: "Use one of: new, old." })],
      }),
    );
  }
  expect(() => chooseUi([], undefined)).toThrow("No driver is running.");
});

test("rejects a UI that does not respond within 30 s", async () => {
  const host = testHost();
  const ui = { namespace: "jobs", pod: "p", application: "spark-p", name: "pi", url: "http://127.0.0.1:1" };
  await expect(host.settle(waitForUi(host.clock, ui, "default"))).rejects.toMatchObject({
    code: "SUBMIT_ERR_UI_NO_RESPONSE",
    issues: [
      {
        hint: expect.stringContaining(
          'eval "$(firesteel cluster env --name default)" && kubectl logs --namespace jobs p',
        ),
      },
    ],
  });
});
