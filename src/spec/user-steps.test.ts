import { describe, expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { buildDriverManifests } from "./driver-spec.ts";
import type { UserStep } from "./user-steps/user-step.ts";

describe("user steps", () => {
  const adding = (labels: Readonly<Record<string, string>>) => ({ contribute: () => ({ labels }) });

  function buildWith(...steps: readonly UserStep[]) {
    return buildDriverManifests(
      testDriver(),
      steps.map((step, index) => ({ name: `step ${index}`, step })),
    );
  }

  test("contribute like Spark's own, and their settings reach the driver", () => {
    const step = {
      contribute: () => ({ env: [{ name: "TEAM", value: "a" }], properties: { "spark.team": "a" } }),
    };
    const built = buildWith(step, adding({ team: "a" }));
    if (!built.ok) throw new Error("not built");
    const { pod, resources } = built.value.manifests;
    expect(pod.metadata?.labels).toMatchObject({ team: "a", "spark-role": "driver" });
    expect(pod.spec?.containers[0]?.env).toContainEqual({ name: "TEAM", value: "a" });
    expect(JSON.stringify(resources.at(-1))).toContain("spark.team=a");
  });

  test("transform the finished pod, each the result of the previous step", () => {
    const append = (name: string): UserStep => ({
      transform: (pod) => ({
        ...pod,
        spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? []), { name }] },
      }),
    });
    const built = buildWith(append("first"), append("second"));
    expect(built.ok && built.value.manifests.pod.spec?.containers.map(({ name }) => name)).toEqual([
      "spark-kubernetes-driver",
      "first",
      "second",
    ]);
  });

  test("can change fields that are already set only by transforming the pod", () => {
    expect(buildWith(adding({ "spark-role": "mine" }))).toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_STEP_CONFLICT",
          message: "The steps BasicDriverFeatureStep and step 0 both set labels.spark-role.",
        },
      ],
    });
  });

  test("report all failures together", () => {
    const failing: UserStep = {
      contribute: () => {
        throw new Error("no");
      },
    };
    const built = buildWith(failing, failing);
    expect(!built.ok && built.issues.map(({ code }) => code)).toEqual([
      "SUBMIT_ERR_FEATURE_STEP_THROWN",
      "SUBMIT_ERR_FEATURE_STEP_THROWN",
    ]);
  });
});
