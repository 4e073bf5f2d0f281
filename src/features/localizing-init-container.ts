import { stagingInitImage, stagingServer, stagingServerInternalUrl } from "../conf/entries/localizing.ts";
import type { Container } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../plan/localized-dependencies.ts";
import {
  localizingDirectory,
  localizingFiles,
  localizingNames,
  localizingPath,
} from "../plan/localizing-names.ts";
import type { Contribution } from "./step.ts";

/** The volume with the files. */
export const depsVolume = "firesteel-deps";

/** The name of the init container, and of the volume with what it is told. */
export const localizeVolume = "firesteel-localize";

const readableByAll = 0o444;
/** Of Spark's images; no other user need be there. */
const sparkUser = 185;
const spareBytes = 64 * 1024 * 1024;

/**
 * An init container that brings the files into the volume. Its ConfigMap and its Secret are named here, and filled when the staging
 * server has told what of: neither settings nor pod ever hold the token.
 */
export function contributeLocalizing(
  driver: DriverConf,
  { directory, entries }: LocalizedDependencies,
): Contribution {
  const { configMap, secret } = localizingNames(driver);
  const totalBytes = entries.reduce((sum, { size }) => sum + size, 0);
  const sources = [{ configMap: { name: configMap } }, { secret: { name: secret } }];
  const metadata = { namespace: driver.namespace };
  return {
    initContainers: [initContainer(driver, directory)],
    volumes: [
      { name: depsVolume, emptyDir: { sizeLimit: String(Math.ceil(totalBytes * 1.2) + spareBytes) } },
      { name: localizeVolume, projected: { defaultMode: readableByAll, sources } },
    ],
    resources: [
      {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: configMap } },
        data: { [localizingFiles.config]: printConfig(driver, directory) },
      },
      {
        ...{ apiVersion: "v1", kind: "Secret", metadata: { ...metadata, name: secret } },
        data: { [localizingFiles.token]: "" },
      },
    ],
  };
}

/** As far as it is known before anything is staged. */
function printConfig({ conf }: DriverConf, directory: string): string {
  const server = conf.get(stagingServerInternalUrl) ?? conf.get(stagingServer);
  return JSON.stringify({ directory, sources: [{ kind: "bundle", server }] }, undefined, 2);
}

function initContainer({ conf }: DriverConf, directory: string): Container {
  return {
    name: localizeVolume,
    image: conf.get(stagingInitImage),
    args: [localizingPath("config")],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: sparkUser,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    },
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [
      { name: depsVolume, mountPath: directory },
      { name: localizeVolume, mountPath: localizingDirectory, readOnly: true },
    ],
  };
}
