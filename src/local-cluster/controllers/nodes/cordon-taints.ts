import { timestamp } from "../../api/timestamp.ts";
import { isNode } from "../../pods/stored-object.ts";
import { type Controller, startReconciler } from "../controller.ts";

const key = "node.kubernetes.io/unschedulable";

/** Adds the taint of cordoned nodes, and removes it from others. Source: Kubernetes 1.35, pkg/controller/nodelifecycle. */
export const startCordonTaints: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object }, add) {
      if (collection === "nodes" && type !== "DELETED") add(object.metadata.name);
    },
    work(name) {
      api.store.update("nodes", undefined, name, (node) => {
        if (!isNode(node)) return node;
        const { taints = [], ...spec } = node.spec ?? {};
        const others = taints.filter((taint) => taint.key !== key);
        const isTainted = others.length < taints.length;
        if (isTainted === (spec.unschedulable === true)) return node;
        const own = { key, effect: "NoSchedule", timeAdded: timestamp(api.clock.now()) };
        const next = isTainted ? others : [...others, own];
        return { ...node, spec: next.length === 0 ? spec : { ...spec, taints: next } };
      });
    },
  });
