import { diagnose } from "../../../../src/diagnosis/diagnose.ts";
import type { Pod } from "../../../../src/kube/types.ts";
import { lines } from "../../../../src/kube-client/lines.ts";
import { parseLogRecord } from "../../../../src/local-cluster/pods/container-log.ts";
import { streamOf } from "../connections.ts";
import { packetsOf } from "../packets.ts";
import type { FuzzTarget } from "../target.ts";

/** Logs of drivers. */
export const logTargets: readonly FuzzTarget[] = [
  {
    name: "driver-log",
    run(input) {
      const log = input
        .toString()
        .split("\n")
        .map((text, index) => ({ at: index, text }));
      const terminated = { exitCode: 1, reason: "Error", finishedAt: "2026-01-01T00:00:00Z" };
      const status = {
        name: "spark-kubernetes-driver",
        state: { terminated },
        ready: false,
        restartCount: 0,
        image: "i",
        imageID: "",
      };
      const metadata = { name: "driver", namespace: "default", uid: "u" };
      const pod: Pod = {
        ...{ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: status.name, image: "i" }] } },
        status: { phase: "Failed", containerStatuses: [status] },
      };
      diagnose({
        ...{ now: 0, properties: {}, executors: [], events: [], objects: [] },
        driver: { pod, isDeleted: false, logs: { [status.name]: log } },
      });
    },
  },
  { name: "log-record", run: (input) => parseLogRecord(input) },
  {
    name: "lines",
    async run(input) {
      const { variant, packets } = packetsOf(input);
      let size = 0;
      for await (const line of lines(streamOf(...packets), 10 ** variant)) size += line.bytes.length;
      if (size > input.length) throw new Error("The lines are longer than the stream.");
    },
  },
];
