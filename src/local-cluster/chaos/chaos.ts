import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Api } from "../api/server.ts";
import type { ApiScope } from "../api/verbs/call.ts";
import { type NodeLoss, nodeLoss } from "../controllers/nodes/node-loss.ts";
import type { NodeIncidents } from "../pods/node-incidents.ts";
import { nodeName } from "../pods/node-object.ts";
import { chaosApi } from "./chaos-api.ts";
import type { ChaosEntry, ChaosRule } from "./chaos-rule.ts";
import type { ChaosRules } from "./chaos-rules.ts";
import { type Incident, parseIncident } from "./incident.ts";
import { parseRule } from "./parse-rule.ts";
import type { SteppedClock } from "./stepped-clock.ts";

/** What goes wrong in a cluster because somebody wants it to; forgotten when the cluster ends. */
export interface Chaos {
  /** Puts a rule in force. @throws SubmitError `SUBMIT_ERR_CHAOS_FIELD`: all that is wrong with it */
  readonly add: (rule: ChaosRule) => ChaosEntry;
  /** The rules in force, the oldest first. */
  readonly list: () => readonly ChaosEntry[];
  /** False when there is no such rule. */
  readonly remove: (id: string) => boolean;
  /** No rule is in force, the node is there, and the clock is right. What has gone wrong stays so. */
  readonly clear: () => void;
  /** Lets something happen now. @throws SubmitError `SUBMIT_ERR_CHAOS_FIELD`, `SUBMIT_ERR_CHAOS_ABSENT` */
  readonly cause: (incident: Incident) => ChaosState;
  readonly state: () => ChaosState;
}

/** How far the cluster is from its usual self. */
export interface ChaosState {
  readonly rules: readonly ChaosEntry[];
  /** `none` where no node runs pods. */
  readonly node: "ready" | "lost" | "gone" | "none";
  /** What its clock shows beyond the true time, in ms. */
  readonly clockOffsetMs: number;
}

export interface ChaosOptions {
  readonly scope: ApiScope;
  readonly book: ChaosRules;
  readonly clock: SteppedClock;
  /** `undefined` where no node runs pods. */
  readonly node: () => NodeIncidents | undefined;
}

/** An API that can be made to go wrong, and by whom. */
export interface ChaoticApi {
  readonly api: Api;
  readonly chaos: Chaos;
  readonly stop: () => void;
}

/** Makes an API that can be made to go wrong. */
export function withChaos(sound: Api, { scope, book, clock, node }: ChaosOptions): ChaoticApi {
  const { api, interruptOpenStreams } = chaosApi(sound, book, scope);
  const fate = nodeFate(nodeLoss(scope, clock.clock, nodeName), scope, node);

  const state = (): ChaosState => ({
    ...{ rules: book.list(), node: node() === undefined ? "none" : fate.state() },
    clockOffsetMs: clock.offsetMs(),
  });

  function cause(incident: Incident): void {
    if (incident.incident === "step-clock") {
      clock.step(incident.byMs);
      return;
    }
    const machine = node();
    if (machine === undefined) throw absent("node", nodeName, []);
    if (incident.incident === "lose-node") fate.lose(machine, incident);
    else if (incident.incident === "return-node") fate.releaseResources(machine);
    else if (!applyPodIncident(machine, incident))
      throw absent("running pod", podOf(incident), runningPods(scope));
  }

  return {
    api,
    chaos: {
      add(data) {
        const entry = book.add(orThrow(parseRule(data)));
        interruptOpenStreams(entry.rule);
        return book.list().find(({ id }) => id === entry.id) ?? entry;
      },
      list: book.list,
      remove: book.remove,
      clear() {
        book.clear();
        clock.reset();
        const machine = node();
        if (machine !== undefined) fate.releaseResources(machine);
      },
      cause(data) {
        cause(orThrow(parseIncident(data)));
        return state();
      },
      state,
    },
    stop: fate.stop,
  };
}

/** Whether the node is there, and how it comes to be. */
function nodeFate(loss: NodeLoss, { store, clock }: ApiScope, node: ChaosOptions["node"]) {
  let state: "ready" | "lost" | "gone" = "ready";
  let cancelReturn = () => {};

  function releaseResources(machine: NodeIncidents): void {
    cancelReturn();
    if (state === "ready") return;
    state = "ready";
    machine.reconnect();
    loss.forgive();
  }

  return {
    state: () => state,
    releaseResources,
    lose(
      machine: NodeIncidents,
      { forMs, gone }: { readonly forMs?: number; readonly gone?: boolean },
    ): void {
      releaseResources(machine);
      state = gone === true ? "gone" : "lost";
      if (gone === true) {
        store.remove("nodes", undefined, nodeName);
        loss.collect();
      } else {
        machine.disconnect();
        loss.notice();
      }
      if (forMs !== undefined) cancelReturn = clock.after(forMs, () => releaseResources(node() ?? machine));
    },
    stop: () => cancelReturn(),
  };
}

type PodIncident = Extract<Incident, { readonly pod: string }>;

/** False when the node runs no such pod. */
function applyPodIncident(machine: NodeIncidents, incident: PodIncident): boolean {
  const { pod, namespace = "default" } = incident;
  return incident.incident === "evict"
    ? machine.evict(namespace, pod, incident.message)
    : machine.oomKill(namespace, pod, incident.container);
}

function podOf({ pod, namespace = "default" }: PodIncident): string {
  return `${namespace}/${pod}`;
}

function runningPods({ store }: ApiScope): readonly string[] {
  return store
    .list("pods")
    .filter(({ status }) => JSON.stringify(status ?? {}).includes('"phase":"Running"'))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

function absent(what: string, name: string, known: readonly string[]) {
  return submitError("SUBMIT_ERR_CHAOS_ABSENT", { what, name, known });
}
