import { connectGrpcBindingPort } from "../../../conf/entries/driver.ts";
import type { ConfigMap } from "../../../kube/types.ts";
import type { UserStep } from "../../../spec/user-steps/user-step.ts";
import { connectServerLabel } from "./server-label.ts";
import { serverProgram } from "./server-program.ts";

const directory = "/opt/firesteel/connect";
const file = "server.py";
const volume = "firesteel-connect-server";

/** Primary resource of a submission with `connectServerStep`. */
export const connectServerResource = `local://${directory}/${file}`;

/** Adds the program of a Spark Connect server to the driver's pod, and the label by which commands find it. */
export const connectServerStep: UserStep = {
  name: "ConnectServerStep",
  contribute({ namespace, resourceNamePrefix, settings }) {
    const name = `${resourceNamePrefix}-connect-server`;
    const map = {
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } },
      ...{ immutable: true, data: { [file]: serverProgram } },
    } satisfies ConfigMap;
    return {
      labels: { [connectServerLabel]: settings[connectGrpcBindingPort.key] ?? `${connectGrpcBindingPort.absent}` },
      volumes: [{ name: volume, configMap: { name } }],
      mounts: [{ name: volume, mountPath: directory, readOnly: true }],
      resources: [map],
    };
  },
};
