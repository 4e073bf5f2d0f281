import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import { observer } from "./diagnose/observer.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { latestPod } from "./watch/latest-pod.ts";
import { type ReachDriverCall, withDriver } from "./with-driver.ts";

const intervalMs = 1000;
// The observer reads related objects of a waiting driver from its third second on. More observations find nothing new.
const maxObservations = 6;

/**
 * Observes a running or ended driver for at most 6 s, and returns its problem; `undefined` if there is none.
 *
 * @throws what `withDriver` throws
 */
export function diagnoseDriver(call: ReachDriverCall): Promise<Diagnosis | undefined> {
  const { clock, random } = call.host;
  return withDriver(call, [], async ({ client, pod, log }) => {
    const ended = new AbortController();
    const latest = latestPod(pod);
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const observed = observer({
      ...{ client, clock, random, log, latest, container: driverContainerOf(pod), signal: ended.signal },
      deniedLevel: "WARN",
    });
    try {
      for (let observation = 1; ; observation += 1) {
        await clock.sleep(intervalMs);
        const diagnosis = diagnose(await observed.observe({ isDeleted: false }));
        const hasEnded = ["Succeeded", "Failed"].includes(latest.get().status?.phase ?? "");
        if (diagnosis !== undefined || hasEnded || observation === maxObservations) return diagnosis;
        latest.set(await client.get<Pod>({ type: resourceTypes.pod, namespace, name }));
      }
    } finally {
      ended.abort();
    }
  });
}
