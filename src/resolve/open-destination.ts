import { jarsIvy, jarsIvySettings } from "../conf/entries/app.ts";
import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { stagingS3Path } from "../conf/entries/bucket.ts";
import { firesteelArchive } from "../conf/entries/firesteel.ts";
import { containerImage, driverContainerImage } from "../conf/entries/image.ts";
import { stagingInitImage, stagingServer, stagingTransport } from "../conf/entries/localizing.ts";
import { named } from "../conf/entries/named.ts";
import { fileUploadPath } from "../conf/entries/staging.ts";
import type { Setting } from "../conf/setting.ts";
import { orThrow } from "../errors/submit-error.ts";
import { parseKubernetesMaster } from "../plan/master.ts";
import type { Destination, EmbeddedCluster, Entered, OpenEmbedded } from "./destination.ts";
import { embeddedMaster, embeddedName } from "./embedded-name.ts";
import { loopbackWarnings, withMachineName } from "./pod-loopback.ts";
import { resolveSparkVersion, specifiedSparkVersion } from "./resolve-spark-version.ts";

/** Ivy's directory in the driver, for `--packages` and `ADD JAR ivy://…`: drivers cannot write the home directory of Spark's images. */
const ivyDirectory = "/tmp/.ivy2";

/** The embedded cluster runs its own program for this image, whatever the tag. */
const initImage = "firesteel/spark-init-container";

/** Settings that choose another transport for files than the upload directory. */
const stagingKeys = [stagingTransport, stagingServer, stagingS3Path].flatMap(({ key, alternatives }) => [
  key,
  ...alternatives,
]);

/**
 * Opens the embedded cluster, and adds its defaults to the settings that are missing.
 *
 * @throws what opening the cluster throws
 */
export async function openDestination(
  { host, master, read, version, log = () => {} }: Destination,
  openEmbedded: OpenEmbedded,
): Promise<Entered> {
  const { settings } = read;
  const name = embeddedName(master);
  const cluster = await openEmbedded({ name, sparkVersion: specifiedSparkVersion({ settings, env: host.env }) });
  const completed = new Map(withMachineName(withDefaults(settings, cluster.defaults), cluster.machineName));
  for (const text of loopbackWarnings(completed, cluster.machineName)) log("WARN", "SparkSubmit", text);
  await addArchive(completed, cluster);
  const { certificateAuthority, token, driverMaster, requireRunning } = cluster;
  return {
    master: orThrow(parseKubernetesMaster(`k8s://${cluster.url}`, { masterAddress: "checked" })),
    access: { master: embeddedMaster(name), certificateAuthority, token, driverMaster, requireRunning },
    settings: completed,
    // The tag of the default image can specify a version.
    version: orThrow(resolveSparkVersion({ settings: completed, env: host.env, localSpark: () => version.text })),
  };
}

/** Returns the embedded cluster with placeholders for the values that it has once it is open. */
export function unopenedDestination({ master, read, version }: Destination): Entered {
  const defaults = { image: `spark:${version.text}`, serviceAccountName: "default", uploadPath: "/" };
  return { master, access: undefined, settings: withDefaults(read.settings, defaults), version };
}

async function addArchive(settings: Map<string, Setting>, { archiveSetting }: EmbeddedCluster): Promise<void> {
  const location = settings.get(firesteelArchive.key);
  const setting = location && (await archiveSetting?.(location.value));
  if (setting !== undefined) settings.set(setting.key, setting);
}

function withDefaults(
  settings: ReadonlyMap<string, Setting>,
  { image, serviceAccountName, uploadPath, eventLogs }: EmbeddedCluster["defaults"],
): ReadonlyMap<string, Setting> {
  const completed = new Map(settings);
  const put = (key: string, value: string) => {
    completed.set(key, { key, value, origin: { kind: "client", why: "embedded cluster" } });
  };
  if (!settings.has(containerImage.key) && !settings.has(driverContainerImage.key)) put(containerImage.key, image);
  if (!settings.has(stagingInitImage.key)) put(stagingInitImage.key, initImage);
  const account = authenticateDriver.serviceAccountName.key;
  if (!settings.has(account)) put(account, serviceAccountName);
  if (!settings.has(fileUploadPath.key) && !stagingKeys.some((key) => settings.has(key)))
    put(fileUploadPath.key, uploadPath);
  if (!settings.has(jarsIvy.key) && !settings.has(jarsIvySettings.key)) put(jarsIvy.key, ivyDirectory);
  const isEventLogOn = (settings.get(named.eventLogEnabled)?.value ?? "true").trim() === "true";
  if (eventLogs !== undefined && isEventLogOn && !settings.has(named.eventLogDir)) {
    if (!settings.has(named.eventLogEnabled)) put(named.eventLogEnabled, "true");
    put(named.eventLogDir, `file://${eventLogs}`);
  }
  return completed;
}
