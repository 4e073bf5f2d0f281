import type { Taint } from "kubernetes-types/core/v1.d.ts";
import { isArray, isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import { type Controller, workQueue } from "../controller.ts";

const key = "node.kubernetes.io/unschedulable";

/** Adds the taint of cordoned nodes, and removes it from others. Source: Kubernetes 1.35, pkg/controller/nodelifecycle. */
export const startCordonTaints: Controller = (api) => {
  const queue = workQueue(api, (name) => {
    api.store.update("nodes", undefined, name, (node) => {
      const spec = isObject(node["spec"]) ? node["spec"] : {};
      const { taints: _, ...rest } = spec;
      const taints = taintsOf(node);
      const isTainted = taints.some((taint) => taint.key === key);
      if (isTainted === (spec["unschedulable"] === true)) return node;
      const others = taints.filter((taint) => taint.key !== key);
      const own = { key, effect: "NoSchedule", timeAdded: timestamp(api.clock.now()) };
      const next = isTainted ? others : [...others, own];
      return { ...node, spec: next.length === 0 ? rest : { ...rest, taints: next } };
    });
  });
  const stopListening = api.store.follow(({ type, collection, object }) => {
    if (collection === "nodes" && type !== "DELETED") queue.add(object.metadata.name);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

function taintsOf({ spec }: StoredObject): readonly Taint[] {
  return isObject(spec) && isArray(spec["taints"]) ? spec["taints"].filter(isTaint) : [];
}

function isTaint(value: unknown): value is Taint {
  return isObject(value) && typeof value["key"] === "string" && typeof value["effect"] === "string";
}
