import {
  blockManagerPort,
  connectGrpcBindingPort,
  driverBlockManagerPort,
  driverPort,
  uiPort,
} from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import type { ContainerPort, ServicePort } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";

/** Lists the settings of the driver's ports in one line of Spark. */
export function driverPortEntries(traits: SparkLineTraits): readonly ConfEntry<unknown>[] {
  const everywhere = [driverPort, driverBlockManagerPort, blockManagerPort, uiPort];
  return traits.connectPort ? [...everywhere, connectGrpcBindingPort] : everywhere;
}

/** Ports of the driver's container and of its service. */
interface DriverPorts {
  readonly container: readonly ContainerPort[];
  readonly service: readonly ServicePort[];
}

/**
 * Lists the driver's ports. `spark.blockManager.port` applies only to the container, so that the two can differ, as in Spark.
 *
 * Source: Spark BasicDriverFeatureStep and DriverServiceFeatureStep.
 */
export function driverPorts({ conf, traits }: DriverConf): DriverPorts {
  const blockManager = conf.get(driverBlockManagerPort);
  const rows = [
    { name: "driver-rpc-port", port: conf.get(driverPort) },
    {
      name: "blockmanager",
      port: blockManager,
      containerPort: conf.has(driverBlockManagerPort) ? blockManager : conf.get(blockManagerPort),
    },
    { name: "spark-ui", port: conf.get(uiPort) },
    ...(traits.connectPort
      ? [
          {
            name: "spark-connect",
            port: conf.get(connectGrpcBindingPort),
            ...(traits.connectAppProtocol ? { appProtocol: "grpc" } : {}),
          },
        ]
      : []),
  ];
  return {
    container: rows.map(({ name, port, containerPort = port }) => ({ name, containerPort, protocol: "TCP" })),
    service: rows.map(({ containerPort: _, ...row }) => ({ ...row, targetPort: row.port })),
  };
}
