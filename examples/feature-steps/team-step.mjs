/**
 * Feature step that labels a team's drivers, adds a cache volume, and tolerates the taint of nodes reserved for Spark. The setting
 * `spark.example.team` names the team.
 *
 * In your own steps, you can use `defineStep` of "firesteel/features" instead of the type annotation.
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
