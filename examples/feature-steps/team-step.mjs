/**
 * A feature step: puts a team's mark on its drivers, gives them a cache, and lets them run on machines that are kept free
 * for them. The team is the setting `spark.example.team`.
 *
 * With `import { defineStep } from "firesteel/features"` around the object, an editor knows its types.
 *
 * @type {import("firesteel/features").UserStep}
 */
export const step = {
  name: "team-step",
  contribute({ settings, namespace, resourceNamePrefix }) {
    const team = settings["spark.example.team"];
    if (team === undefined) throw new Error("spark.example.team is not set");
    return {
      labels: { team },
      env: [{ name: "TEAM", value: team }],
      volumes: [{ name: "team-cache", emptyDir: {} }],
      mounts: [{ name: "team-cache", mountPath: "/cache" }],
      properties: { "spark.kubernetes.executor.label.team": team },
      resources: [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: `${resourceNamePrefix}-team`, namespace },
          data: { team },
        },
      ],
    };
  },
  transform(pod) {
    const toleration = { key: "kept-for", operator: "Equal", value: "spark", effect: "NoSchedule" };
    return { ...pod, spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), toleration] } };
  },
};
