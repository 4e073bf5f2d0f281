import { podTemplateFile, volcanoPodGroupTemplateFile } from "../conf/entries/driver.ts";
import { krb5Path } from "../conf/entries/hadoop.ts";
import { defaultTextOf } from "../conf/entries/topics.ts";
import type { KeyAccess, SparkConf } from "../conf/spark-conf.ts";
import { type SparkLine, type SparkLineTraits, sparkLines, traitsOf } from "../conf/spark-version.ts";
import type { DriverInput } from "../plan/driver-conf.ts";
import type { Facts } from "../plan/facts.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import type { Cause } from "./cause.ts";
import type { Read, Recorder } from "./recorder.ts";

/** Returns copies of a plan's inputs that note each input when it is read. */
export function observedInput({ request, facts }: DriverInput, recorder: Recorder): DriverInput {
  return { request: observedRequest(request, recorder), facts: observedFacts(facts, request, recorder) };
}

/** Returns a copy of the settings that notes each key when it is read. */
export function observedConf(conf: SparkConf, recorder: Recorder): SparkConf {
  const { text } = conf.version;
  return conf.observed({
    onKey: (key, access) => recorder.note(settingRead(conf, key, access)),
    onVersion: () => recorder.note({ cause: { kind: "version", text }, texts: [text], names: [], isOptional: true }),
  });
}

function settingRead(conf: SparkConf, key: string, access: KeyAccess): Read {
  const setting = conf.settings().find((candidate) => candidate.key === key);
  const text = setting?.value ?? defaultTextOf(key);
  const cause: Cause = setting === undefined ? { kind: "default", key, value: text } : { kind: "setting", ...setting };
  if (access === "list") return { cause, texts: [], names: [key], isOptional: true };
  const texts = text === undefined || text === "" ? [] : [text, ...text.split(",")];
  if (access === "key") return { cause, texts, names: [], isOptional: false };
  return { cause, texts: texts.filter(isDistinctive), names: memberNames(key), isOptional: true };
}

/** Whether a text is unlikely to occur in a field by chance. */
function isDistinctive(text: string): boolean {
  return text.length > 2 && text !== "true" && text !== "false";
}

/** Segments in the keys of families that are not a member's name. */
const optionNames = new Set(["mount", "options", "path", "readOnly", "subPath", "amount", "vendor"]);

/** Returns the endings of a key after each dot, and its segments: a member's name can contain dots. */
function memberNames(key: string): readonly string[] {
  const segments = key.split(".").slice(2);
  const endings = segments.map((_, index) => segments.slice(index).join("."));
  return [...endings, ...segments.slice(1)].filter((name) => name !== "" && !optionNames.has(name));
}

function observedRequest(request: SubmitRequest, recorder: Recorder): SubmitRequest {
  const argument = (what: string, texts: readonly (string | undefined)[]) =>
    recorder.note(read({ kind: "argument", what }, texts));
  return {
    ...request,
    conf: observedConf(request.conf, recorder),
    get appResource() {
      argument("primary resource", [request.appResource.uri]);
      return request.appResource;
    },
    get mainClass() {
      argument("main class", [request.mainClass]);
      return request.mainClass;
    },
    get appArgs() {
      if (request.appArgs.length > 0) argument("application arguments", request.appArgs);
      return request.appArgs;
    },
    get proxyUser() {
      if (request.proxyUser !== undefined) argument("--proxy-user", [request.proxyUser]);
      return request.proxyUser;
    },
  };
}

function observedFacts(facts: Facts, { conf }: SubmitRequest, recorder: Recorder): Facts {
  const generated = (what: string, text: string | undefined) =>
    recorder.note({ ...read({ kind: "generated", what }, [text]), isOptional: true });
  const machine = (what: string, text?: string) => recorder.note(read({ kind: "machine", what }, [text]));
  const setting = (key: string) => recorder.note(settingRead(conf, key, "key"));
  const variable = (name: string, text: string | undefined) => {
    if (text !== undefined) recorder.note(read({ kind: "variable", name }, [text]));
  };
  const { uniqueIds } = facts;
  return {
    ...facts,
    get appId() {
      generated("application ID", facts.appId);
      return facts.appId;
    },
    uniqueIds: {
      ...uniqueIds,
      get resourceNamePrefix() {
        generated("ID in names", uniqueIds.resourceNamePrefix);
        return uniqueIds.resourceNamePrefix;
      },
      get driverService() {
        generated("ID of the driver's service", uniqueIds.driverService);
        return uniqueIds.driverService;
      },
      get confMap() {
        generated("ID of the ConfigMap", uniqueIds.confMap);
        return uniqueIds.confMap;
      },
    },
    get localDirUuid() {
      generated("ID of the local directory", facts.localDirUuid);
      return facts.localDirUuid;
    },
    get submitDate() {
      generated("time of the submission", facts.submitDate);
      return facts.submitDate;
    },
    get dependencies() {
      return facts.dependencies;
    },
    get userName() {
      machine("user of this machine", facts.userName);
      return facts.userName;
    },
    env: observedRecord(facts.env, variable),
    get confDirectory() {
      if (facts.confDirectory !== undefined) machine(`files of ${facts.confDirectory.path}`);
      return facts.confDirectory;
    },
    get driverTemplate() {
      setting(podTemplateFile.driver.key);
      return facts.driverTemplate;
    },
    get executorTemplateText() {
      setting(podTemplateFile.executor.key);
      return facts.executorTemplateText;
    },
    credentialFiles: observedRecord(facts.credentialFiles, setting),
    get hadoopDirectory() {
      variable("HADOOP_CONF_DIR", facts.hadoopDirectory?.path);
      return facts.hadoopDirectory;
    },
    get kerberos() {
      if (Object.values(facts.kerberos).some((file) => file !== undefined)) setting(krb5Path.key);
      return facts.kerberos;
    },
    get podGroupTemplate() {
      setting(volcanoPodGroupTemplateFile.key);
      return facts.podGroupTemplate;
    },
    get driverMaster() {
      if (facts.driverMaster !== undefined) machine("address of the embedded cluster", facts.driverMaster);
      return facts.driverMaster;
    },
  };
}

/** Returns a copy of the traits of a Spark line that notes the newest older line that differs in a trait. */
export function observedTraits(traits: SparkLineTraits, line: SparkLine, recorder: Recorder): SparkLineTraits {
  const older = sparkLines.slice(0, sparkLines.indexOf(line)).toReversed();
  return observedRecord(traits, (name) => {
    const before = older.find((candidate) => traitOf(traitsOf(candidate), name) !== traitOf(traits, name));
    if (before !== undefined) recorder.note(read({ kind: "release", line, before }, []));
  });
}

function traitOf(record: object, name: string): unknown {
  return Object.entries(record).find(([key]) => key === name)?.[1];
}

function observedRecord<T extends object>(record: T, onRead: (name: string, text: string | undefined) => void): T {
  return new Proxy(record, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof name === "string") onRead(name, typeof value === "string" ? value : undefined);
      return value;
    },
  });
}

function read(cause: Cause, texts: readonly (string | undefined)[]): Read {
  return { cause, texts: texts.flatMap((text) => (text ? [text] : [])), names: [], isOptional: false };
}
