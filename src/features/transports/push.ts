import { pushPort, pushServiceType } from "../../conf/entries/pushing.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingPath } from "../../plan/transports/localizing-files.ts";
import { type PushServiceType, pushBasePath, pushTlsFiles } from "../../plan/transports/push-service.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";
import { pushServices } from "./push-services.ts";

/** Time after which the init container ends by itself if no files arrive. The submission enforces its own timeout. */
const timeoutSeconds = 7 * 24 * 3600;

/** Types of services that can share a host name with other submissions. */
const typesWithPath: readonly PushServiceType[] = ["Ingress", "Gateway", "FeatureStep"];

/** Adds an init container that waits for the files, and the objects through which they are sent. */
export function contributePush(driver: DriverConf, localized: LocalizedDependencies): Contribution {
  const { conf } = driver;
  const entries = localized.entries.map(({ path: _, ...entry }) => entry);
  const type = conf.get(pushServiceType);
  const tls = pushTlsFiles(conf);
  const source = {
    ...{ kind: "push", port: conf.get(pushPort), secretFile: localizingPath("token"), entries },
    ...(typesWithPath.includes(type) ? { basePath: pushBasePath(driver) } : {}),
    ...(tls === undefined ? {} : { keyFile: tls.key.path, certificateFile: tls.certificate.path }),
  };
  const { resources = [], ...rest } = contributeLocalizing(driver, localized, { sources: [source], timeoutSeconds });
  const own: readonly KubeResource[] = pushServices[type](driver);
  return { ...rest, resources: [...resources, ...own] };
}
