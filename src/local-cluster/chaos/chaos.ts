import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { ApiScope } from "../api/call.ts";
import type { Api } from "../api/server.ts";
import { type NodeLoss, nodeLoss } from "../controllers/nodes/node-loss.ts";
import type { NodeIncidents } from "../pods/node-incidents.ts";
import { nodeName } from "../pods/node-object.ts";
import { isPod } from "../pods/stored-object.ts";
import { chaosApi } from "./chaos-api.ts";
import type { ChaosEntry, ChaosRule } from "./chaos-rule.ts";
import type { ChaosRules } from "./chaos-rules.ts";
import { type Incident, parseIncident } from "./incident.ts";
import { parseRule } from "./parse-rule.ts";
import type { SteppedClock } from "./stepped-clock.ts";

/** Faults that a user injects into a cluster. They are lost when the cluster stops. */
export interface Chaos {
  /** Activates a rule. @throws SubmitError `SUBMIT_ERR_CHAOS_FIELD`: every invalid field */
  readonly add: (rule: ChaosRule) => ChaosEntry;
  /** Lists active rules, oldest first. */
  readonly list: () => readonly ChaosEntry[];
  /** Removes a rule. @returns false if it does not exist */
  readonly remove: (id: string) => boolean;
  /** Removes all rules, returns the node and resets the clock. Earlier failures are not undone. */
  readonly clear: () => void;
  /** Triggers an incident now. @throws SubmitError `SUBMIT_ERR_CHAOS_FIELD`, `SUBMIT_ERR_CHAOS_NOT_FOUND` */
  readonly cause: (incident: Incident) => ChaosState;
  readonly state: () => ChaosState;
}

/** Active faults of the cluster. */
export interface ChaosState {
  readonly rules: readonly ChaosEntry[];
  /** `none` if no node runs pods. */
  readonly node: "ready" | "lost" | "gone" | "none";
  /** Difference between the cluster's clock and the true time, in ms. */
  readonly clockOffsetMs: number;
}

interface ChaosOptions {
  readonly scope: ApiScope;
  readonly rules: ChaosRules;
  readonly clock: SteppedClock;
  /** `undefined` if no node runs pods. */
  readonly node: () => NodeIncidents | undefined;
}

/** An API with fault injection, and its control. */
interface ChaoticApi {
  readonly api: Api;
  readonly chaos: Chaos;
  readonly stop: () => void;
}

/** Adds fault injection to an API. */
export function withChaos(baseApi: Api, { scope, rules, clock, node }: ChaosOptions): ChaoticApi {
  const { api, interruptOpenStreams } = chaosApi(baseApi, rules, scope);
  const presence = nodePresence(nodeLoss(scope), scope, node);

  const state = (): ChaosState => ({
    ...{ rules: rules.list(), node: node() === undefined ? "none" : presence.state() },
    clockOffsetMs: clock.offsetMs(),
  });

  function cause(incident: Incident): void {
    if (incident.incident === "step-clock") {
      clock.step(incident.byMs);
      return;
    }
    const incidents = node();
    if (incidents === undefined)
      throw submitError("SUBMIT_ERR_CHAOS_NOT_FOUND", { what: "node", name: nodeName, known: [] });
    if (incident.incident === "lose-node") presence.lose(incidents, incident);
    else if (incident.incident === "return-node") presence.returnNode(incidents);
    else if (!applyPodIncident(incidents, incident)) {
      const { pod, namespace = "default" } = incident;
      const subject = { what: "running pod", name: `${namespace}/${pod}`, known: runningPods(scope) };
      throw submitError("SUBMIT_ERR_CHAOS_NOT_FOUND", subject);
    }
  }

  return {
    api,
    chaos: {
      add(data) {
        const entry = rules.add(orThrow(parseRule(data)));
        interruptOpenStreams(entry.rule);
        return rules.list().find(({ id }) => id === entry.id) ?? entry;
      },
      list: rules.list,
      remove: rules.remove,
      clear() {
        rules.clear();
        clock.reset();
        const incidents = node();
        if (incidents !== undefined) presence.returnNode(incidents);
      },
      cause(data) {
        cause(orThrow(parseIncident(data)));
        return state();
      },
      state,
    },
    stop: presence.stop,
  };
}

/** Tracks whether the node is present, and loses or returns it. */
function nodePresence(loss: NodeLoss, { store, clock }: ApiScope, node: ChaosOptions["node"]) {
  let state: "ready" | "lost" | "gone" = "ready";
  let cancelReturn = () => {};

  function returnNode(incidents: NodeIncidents): void {
    cancelReturn();
    if (state === "ready") return;
    state = "ready";
    incidents.reconnect();
    loss.markReachable();
  }

  return {
    state: () => state,
    returnNode,
    lose(incidents: NodeIncidents, { forMs, gone }: { readonly forMs?: number; readonly gone?: boolean }): void {
      returnNode(incidents);
      state = gone === true ? "gone" : "lost";
      if (gone === true) {
        store.remove("nodes", undefined, nodeName);
        loss.deletePods();
      } else {
        incidents.disconnect();
        loss.markUnreachable();
      }
      if (forMs !== undefined) cancelReturn = clock.after(forMs, () => returnNode(node() ?? incidents));
    },
    stop: () => cancelReturn(),
  };
}

type PodIncident = Extract<Incident, { readonly pod: string }>;

/** Applies an incident to a pod. @returns false if the node does not run the pod */
function applyPodIncident(incidents: NodeIncidents, incident: PodIncident): boolean {
  const { pod, namespace = "default" } = incident;
  return incident.incident === "evict"
    ? incidents.evict(namespace, pod, incident.message)
    : incidents.oomKill(namespace, pod, incident.container);
}

function runningPods({ store }: ApiScope): readonly string[] {
  return store
    .list("pods")
    .filter((pod) => isPod(pod) && pod.status?.phase === "Running")
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
