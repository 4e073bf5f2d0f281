import { stagingInitImage } from "../../conf/entries/localizing.ts";
import type { Container } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingNames, remoteSources } from "../../plan/localizing-names.ts";
import { localizingDirectory, localizingFiles, localizingPath } from "../../plan/transports/localizing-files.ts";
import { localizingContainer } from "../../values/staged-entry.ts";
import type { Contribution } from "../step.ts";

/** Name of the volume with the files. */
export const depsVolume = "firesteel-deps";

const readableByAll = 0o444;
/** User ID of Spark's images. */
const sparkUser = 185;
const spareBytes = 64 * 1024 * 1024;

/**
 * Adds an init container that brings the files into the volume, and its ConfigMap and Secret without their final content.
 * Staging fills in the content, so that neither settings nor pod contain the credentials for the files.
 *
 * @param config configuration that is known before staging
 * @param opener file in the Secret with the credentials
 */
export function contributeLocalizing(
  driver: DriverConf,
  localized: LocalizedDependencies,
  { sources: ownSources, ...config }: { readonly sources: readonly object[]; readonly timeoutSeconds: number },
  opener: "token" | "urls" | "remoteUrls" = "token",
): Contribution {
  const { directory, entries, remote } = localized;
  const { configMap, secret } = localizingNames(driver);
  const totalBytes = entries.reduce((sum, { size }) => sum + size, 0);
  // The sizes of remote files are not known.
  const limit = remote.length === 0 ? { sizeLimit: String(Math.ceil(totalBytes * 1.2) + spareBytes) } : {};
  const openers = [...(remote.length === 0 ? [] : (["remoteUrls"] as const)), opener];
  const sources = [{ configMap: { name: configMap } }, { secret: { name: secret } }];
  const metadata = { namespace: driver.namespace };
  return {
    initContainers: [initContainer(driver, directory)],
    volumes: [
      { name: depsVolume, emptyDir: limit },
      { name: localizingContainer, projected: { defaultMode: readableByAll, sources } },
    ],
    resources: [
      {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: configMap } },
        data: {
          [localizingFiles.config]: JSON.stringify(
            { directory, sources: [...ownSources, ...remoteSources(localized)], ...config },
            undefined,
            2,
          ),
        },
      },
      {
        ...{ apiVersion: "v1", kind: "Secret", metadata: { ...metadata, name: secret } },
        data: Object.fromEntries(openers.map((file) => [localizingFiles[file], ""])),
      },
    ],
  };
}

function initContainer({ conf }: DriverConf, directory: string): Container {
  return {
    name: localizingContainer,
    // The choice of the transport has checked it.
    image: conf.get(stagingInitImage) ?? "",
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
      { name: localizingContainer, mountPath: localizingDirectory, readOnly: true },
    ],
  };
}
