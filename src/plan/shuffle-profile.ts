import type { Behaviors } from "../conf/behaviors.ts";
import { dynamicAllocationMinExecutors } from "../conf/entries/dynamic-allocation.ts";
import { type ShuffleProfile, shuffleDirectories, shuffleProfile } from "../conf/entries/shuffle-profile.ts";
import {
  commonProfileSettings,
  defaultShuffleDirectory,
  localDirVolume,
  localDirVolumePrefix,
  masterOfExecutors,
  noTemplate,
  type ProfileSetting,
  profileSettings,
  shuffleKeys,
  shufflePlugins,
} from "../conf/entries/shuffle-profile-settings.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { allocationIssues } from "./shuffle-allocation.ts";

/** Settings of a profile that the user does not set, and what contradicts it. */
interface ShufflePlan {
  readonly added: readonly Setting[];
  readonly issues: readonly Issue[];
}

/** Submission of a plan, besides its settings. */
interface ShuffleScope {
  /** Deploy mode of the driver. */
  readonly mode: string;
  readonly behaviors: Pick<Behaviors, "settingChecks">;
}

/**
 * Plans the settings of `spark.firesteel.shuffle`, and checks that dynamic allocation keeps shuffle data. The user's settings take
 * precedence over recommended ones.
 *
 * Errors: SUBMIT_ERR_SETTING_CHOICE, SUBMIT_ERR_SETTING_VALUE, SUBMIT_ERR_SHUFFLE_PROFILE, SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE,
 * SUBMIT_ERR_SHUFFLE_ALLOCATION.
 */
export function planShuffle(conf: SparkConf, { mode, behaviors }: ShuffleScope): ShufflePlan {
  const invalid = conf.check([shuffleProfile, shuffleDirectories]);
  const profile = conf.readOrAbsent(shuffleProfile);
  const issuesOf = (planned: SparkConf) => (behaviors.settingChecks === "spark" ? [] : allocationIssues(planned));
  if (profile === undefined || invalid.length > 0) return { added: [], issues: [...invalid, ...issuesOf(conf)] };
  const needed = [...commonProfileSettings, ...profileSettings[profile], ...(extraSettings[profile]?.(conf) ?? [])];
  const origin = { kind: "client", why: printProfile(profile) } as const;
  const added = needed
    .filter(({ key }) => conf.text(key) === undefined)
    .map(({ key, value }): Setting => ({ key, value, origin }));
  const issues = [
    ...needed.flatMap((setting) => contradictions(conf, profile, setting)),
    ...(profileIssues[profile]?.(conf) ?? []),
    ...(profile === "service" && mode !== "cluster" ? modeIssues(conf) : []),
  ];
  // A contradicting setting would be reported twice.
  const allocated =
    issues.length > 0 ? [] : issuesOf(added.reduce((all, { key, value }) => all.with(key, value), conf));
  return { added, issues: [...issues, ...allocated] };
}

/** In client mode, Spark itself reads the template of executors, so that nothing puts them on the network of the node. */
function modeIssues(conf: SparkConf): readonly Issue[] {
  const key = shuffleKeys.executorTemplate;
  if (conf.text(key) !== undefined) return [];
  return [
    issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", {
      ...{ profile: printProfile("service"), key },
      reason: "in client mode, executors need a template with hostNetwork: true and dnsPolicy: ClusterFirstWithHostNet",
      remedy: "Set it to such a template, or use --deploy-mode cluster.",
    }),
  ];
}

function printProfile(profile: ShuffleProfile): string {
  return `${shuffleProfile.key}=${profile}`;
}

/** Returns the issue of a required setting to which the user gives another value. */
function contradictions(conf: SparkConf, profile: ShuffleProfile, { key, value, kind }: ProfileSetting) {
  const own = conf.text(key);
  if (kind === "recommended" || own === undefined || own.trim().toLowerCase() === value.toLowerCase()) return [];
  return [issue("SUBMIT_ERR_SHUFFLE_PROFILE", { key, value: own, profile: printProfile(profile), needed: value })];
}

type OfProfile<T> = Partial<Record<ShuffleProfile, (conf: SparkConf) => T>>;

/** Settings of profiles that depend on the user's. */
const extraSettings: OfProfile<readonly ProfileSetting[]> = {
  decommission: (conf) =>
    conf.text(shuffleKeys.fallbackStorage) === undefined
      ? // The last executors would have nowhere to move their files.
        [{ key: dynamicAllocationMinExecutors.key, value: "1", kind: "recommended" }]
      : [{ key: shuffleKeys.fallbackCleanUp, value: "true", kind: "recommended" }],
  service: (conf) => [...serviceDirectories(conf), ...secretSettings(conf)],
  plugin: (conf) => {
    const plugin = pluginOf(conf);
    return plugin === undefined ? [] : [plugin.io];
  },
};

/** Problems of profiles besides contradictions. */
const profileIssues: OfProfile<readonly Issue[]> = {
  decommission: fallbackIssues,
  service: (conf) => [...volumeIssues(conf), ...secretIssues(conf)],
  plugin: pluginIssues,
};

/** Gives each application a directory of its own in the directories of the service, which other volumes can replace. */
function serviceDirectories(conf: SparkConf): readonly ProfileSetting[] {
  const mounted = localDirVolumes(conf).flatMap(({ mountPath }) => mountPath ?? []);
  const chosen = conf.readOrAbsent(shuffleDirectories) ?? [defaultShuffleDirectory];
  const roots = mounted.length > 0 ? mounted : chosen;
  const paths = roots.map((root) => `${root.replace(/\/+$/, "")}/SPARK_APPLICATION_ID`).join(":");
  return [
    { key: shuffleKeys.executorDirectories, value: paths, kind: "recommended" },
    ...(mounted.length > 0 ? [] : chosen.flatMap(localDirVolume)),
  ];
}

interface LocalDirVolume {
  readonly type: string;
  readonly key: string;
  readonly mountPath: string | undefined;
}

/** Lists the user's volumes that are local directories of executors. */
function localDirVolumes(conf: SparkConf): readonly LocalDirVolume[] {
  const volume = new RegExp(`^(\\w+)\\.(${localDirVolumePrefix}[^.]+)\\.mount\\.path$`);
  return conf.settings().flatMap(({ key, value }) => {
    if (!key.startsWith(shuffleKeys.executorVolumes)) return [];
    const [, type] = volume.exec(key.slice(shuffleKeys.executorVolumes.length)) ?? [];
    return type === undefined ? [] : [{ type, key, mountPath: value }];
  });
}

function volumeIssues(conf: SparkConf): readonly Issue[] {
  return localDirVolumes(conf)
    .filter(({ type }) => type !== "hostPath")
    .map(({ key, type }) =>
      issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", {
        ...{ profile: printProfile("service"), key },
        reason: `the files of a volume ${type} end with its executor, or are not visible for the service`,
        remedy: "Remove the volume, or use a hostPath volume that the service mounts at the same path.",
      }),
    );
}

/** On Kubernetes, the driver takes its secret only from a file, and otherwise generates one that the service cannot know. */
function secretIssues(conf: SparkConf): readonly Issue[] {
  if (!isAuthenticated(conf)) return [];
  const profile = printProfile("service");
  if (!hasSecretFile(conf)) {
    const { authenticate: key, secretFile } = shuffleKeys;
    const reason = "without a file, the driver generates a secret that the shuffle service does not know";
    const remedy = `Set ${secretFile} to a file that driver and executors mount, with the secret of the service.`;
    return [issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", { profile, key, reason, remedy })];
  }
  const key = shuffleKeys.executorJavaOptions;
  const own = conf.text(key);
  if (own === undefined || own.includes(masterOfExecutors)) return [];
  const reason = "executors read a file with a secret only if they know that they run on Kubernetes";
  const remedy = `Add ${masterOfExecutors} to it.`;
  return [issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", { profile, key, reason, remedy })];
}

function secretSettings(conf: SparkConf): readonly ProfileSetting[] {
  if (!isAuthenticated(conf) || !hasSecretFile(conf)) return [];
  return [{ key: shuffleKeys.executorJavaOptions, value: masterOfExecutors, kind: "recommended" }];
}

function isAuthenticated(conf: SparkConf): boolean {
  return conf.text(shuffleKeys.authenticate)?.trim().toLowerCase() === "true";
}

function hasSecretFile(conf: SparkConf): boolean {
  const { secretFile, secretFileOfDriver, secretFileOfExecutor } = shuffleKeys;
  return (
    conf.text(secretFile) !== undefined ||
    (conf.text(secretFileOfDriver) !== undefined && conf.text(secretFileOfExecutor) !== undefined)
  );
}

function fallbackIssues(conf: SparkConf): readonly Issue[] {
  const key = shuffleKeys.fallbackStorage;
  const path = conf.text(key);
  if (path === undefined || path.endsWith("/")) return [];
  return [
    issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", {
      ...{ profile: printProfile("decommission"), key },
      reason: `the driver rejects ${path}, which does not end with a slash`,
      remedy: `Set it to ${path}/.`,
    }),
  ];
}

function pluginOf(conf: SparkConf) {
  const manager = conf.text(shuffleKeys.manager);
  return shufflePlugins.find((plugin) => plugin.manager === manager);
}

function pluginIssues(conf: SparkConf): readonly Issue[] {
  const plugin = pluginOf(conf);
  if (plugin !== undefined) return conf.text(plugin.addressKey) === undefined ? [missingAddress(plugin)] : [];
  if (conf.text(shuffleKeys.io) !== undefined) return [];
  const managers = shufflePlugins.map(({ name, manager }) => `${manager} (${name})`).join(" or ");
  return [
    issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", {
      ...{ profile: printProfile("plugin"), key: shuffleKeys.io },
      reason: "no plugin is set",
      remedy: `Set it to a ShuffleDataIO class, or set ${shuffleKeys.manager} to ${managers}.`,
    }),
  ];
}

function missingAddress({ name, addressKey }: (typeof shufflePlugins)[number]): Issue {
  return issue("SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE", {
    ...{ profile: printProfile("plugin"), key: addressKey },
    reason: `the client of ${name} has no address`,
    remedy: "Set it to the addresses of the servers, HOST:PORT separated by commas.",
  });
}

/** Whether executors of this submission must be on the network of their nodes. */
export function needsHostNetwork(conf: SparkConf): boolean {
  return conf.readOrAbsent(shuffleProfile) === "service";
}

/** Whether a submission has no executor template of its own. */
export function isNoTemplate(path: string): boolean {
  return path === noTemplate;
}
