import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planDriver } from "../plan/driver-conf.ts";
import { sparkBehaviors, testFacts, testRequest } from "../plan/test-driver.ts";
import { isFields } from "../values/fields.ts";
import { buildDriverManifests, driverChecks } from "./driver-spec.ts";

describe("any pod template", () => {
  const fields = [
    ...["spec", "metadata", "kind", "containers", "initContainers", "volumes", "env", "ports", "name", "labels"],
    ...["resources", "limits", "requests", "securityContext", "nodeSelector", "args", "value", "defaultMode"],
    ...["imagePullSecrets", "volumeMounts", "namespace", "ownField", "__proto__", "constructor"],
  ];
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.constantFrom(null, true, 0, 7, -1.5, "", "x", "0644"),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...fields), tie("node"), { maxKeys: 5 }),
    ),
  }));
  const plan = (driverTemplate: unknown, asSpark: boolean) => {
    const settings = { "spark.kubernetes.driver.podTemplateFile": "t.yml" };
    const request = testRequest({
      settings,
      behaviors: asSpark ? sparkBehaviors : {},
    });
    const planned = planDriver(request, { ...testFacts, driverTemplate }, driverChecks);
    return planned.ok ? buildDriverManifests(planned.value) : planned;
  };

  test("is the base of the pod, or is rejected with reasons", { tags: "long" }, () => {
    const template = fc.oneof(node, fc.record({ spec: fc.oneof(node, fc.record({ containers: node })) }));
    fc.assert(
      fc.property(template, fc.boolean(), (value, asSpark) => {
        const built = plan(value, asSpark);
        if (!built.ok) expect(built.issues).not.toEqual([]);
        else {
          const containers: readonly unknown[] = built.value.manifests.pod.spec?.containers ?? [];
          expect(containers).not.toEqual([]);
          expect(containers.filter((container) => !isFields(container))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("keeps fields that neither Spark nor Firesteel knows", { tags: "long" }, () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (inSpec, inContainer) => {
        const template = {
          spec: { ownField: inSpec, containers: [{ name: "c", ownField: inContainer }] },
        };
        const built = plan(template, false);
        const spec: unknown = built.ok ? built.value.manifests.pod.spec : undefined;
        expect(spec).toMatchObject({ ownField: inSpec, containers: [{ name: "c", ownField: inContainer }] });
      }),
    );
  });
});
