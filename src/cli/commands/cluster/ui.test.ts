import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { chooseUi, untilServed } from "./ui.ts";

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
  driver("over", "2026-11-22T03:00:00Z", { phase: "Succeeded" }),
  driver("closed", "2026-11-22T04:00:00Z", { ports: false }),
  driver("young", "2026-11-22T02:00:00Z"),
];

test("the youngest driver that runs is meant, unless another is named", () => {
  expect(chooseUi(pods, undefined)).toEqual({
    ...{ namespace: "jobs", pod: "young", application: "spark-young", name: "pi" },
    url: "http://127.90.0.7:4041",
  });
  for (const word of ["old", "jobs:old", "spark-old"]) expect(chooseUi(pods, word).pod).toBe("old");
});

test("a driver that is over or has no UI is refused, and those that run are told", () => {
  for (const word of ["over", "closed"]) {
    expect(() => chooseUi(pods, word)).toThrow(
      expect.objectContaining({
        code: "SUBMIT_ERR_UI_NOT_FOUND",
        issues: [expect.objectContaining({ hint: "Use one of: young, old." })],
      }),
    );
  }
  expect(() => chooseUi([], undefined)).toThrow("No driver is running.");
});

test("a UI that does not answer within half a minute is refused", async () => {
  const host = testHost();
  const ui = { namespace: "jobs", pod: "p", application: "spark-p", name: "pi", url: "http://127.0.0.1:1" };
  await expect(host.settle(untilServed(host.clock, ui))).rejects.toMatchObject({
    code: "SUBMIT_ERR_UI_NO_RESPONSE",
  });
});
