import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import { messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import { observer } from "./diagnose/observer.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { latestPod } from "./watch/latest-pod.ts";
import { type ReachDriverCall, withDriver } from "./with-driver.ts";

const lookMs = 1000;
// A driver that is held up is looked around from its third second on; where nothing is wrong there is nothing to wait for.
const looks = 6;

/**
 * Looks at a driver, whether it runs or has ended, for some seconds at most, and says what is wrong with it; `undefined` when
 * nothing is.
 *
 * @throws what `withDriver` throws
 */
export function diagnoseDriver(call: ReachDriverCall): Promise<Diagnosis | undefined> {
  const { clock, random } = call.host;
  return withDriver(call, [], async ({ client, pod, log }) => {
    const over = new AbortController();
    const latest = latestPod(pod);
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const seen = observer({
      ...{ client, clock, random, latest, container: driverContainerOf(pod), signal: over.signal },
      onRefused: (error) => log("WARN", "Diagnosis", `Reasons may stay in the dark: ${messageOf(error)}`),
    });
    try {
      for (let look = 1; ; look += 1) {
        await clock.sleep(lookMs);
        const diagnosis = diagnose(await seen.observe({ isDeleted: false }));
        const isOver = ["Succeeded", "Failed"].includes(latest.get().status?.phase ?? "");
        if (diagnosis !== undefined || isOver || look === looks) return diagnosis;
        latest.set(await client.get<Pod>({ type: resourceTypes.pod, namespace, name }));
      }
    } finally {
      over.abort();
    }
  });
}
