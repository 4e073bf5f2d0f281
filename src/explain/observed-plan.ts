import type { PodConf } from "../plan/driver-conf.ts";
import type { PlanPart } from "../plan/plan-part.ts";
import { observedConf, observedTraits } from "./observed-inputs.ts";
import type { Read, Recorder } from "./recorder.ts";

/** Reads of each part of a plan, by the property that holds the result: `resources.cpuRequest`. */
export type PlanReads = Map<string, readonly Read[]>;

/** Records what each part of a plan reads. `observed` is the input of the parts. */
export function recordedParts<I>(reads: PlanReads, observed: I, recorder: Recorder): PlanPart<I> {
  return (path, compute) => {
    const recorded = recorder.record(() => compute(observed));
    reads.set(path, recorded.reads);
    return recorded.value;
  };
}

/** Returns a copy of a plan. When a property is read, the copy notes what the plan read for it. */
export function observedPlan<P extends PodConf>(
  plan: P,
  { reads, facts, recorder }: { readonly reads: PlanReads; readonly facts: P["facts"]; readonly recorder: Recorder },
): P {
  const view: P = { ...plan, facts, conf: observedConf(plan.conf, recorder) };
  const traits = observedTraits(plan.traits, plan.conf.version.line, recorder);
  const resources = noting(plan.resources, "resources.", { reads, recorder });
  return new Proxy(view, {
    get(target, name, receiver) {
      if (name === "traits") return traits;
      if (name === "resources") return resources;
      if (typeof name === "string") recorder.noteAll(reads.get(name) ?? []);
      return Reflect.get(target, name, receiver);
    },
  });
}

function noting<T extends object>(
  target: T,
  prefix: string,
  { reads, recorder }: { readonly reads: PlanReads; readonly recorder: Recorder },
): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      if (typeof name === "string") recorder.noteAll(reads.get(`${prefix}${name}`) ?? []);
      return Reflect.get(object, name, receiver);
    },
  });
}
