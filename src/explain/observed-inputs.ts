import { podTemplateFile, volcanoPodGroupTemplateFile } from "../conf/entries/driver.ts";
import { krb5Path } from "../conf/entries/hadoop.ts";
import { defaultTextOf } from "../conf/entries/topics.ts";
import { type ConfEntry, noDefault } from "../conf/entry.ts";
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
  const version: Read = { cause: { kind: "version", text }, texts: [text], names: [], isOptional: true };
  const known = new Map<string, Read>();
  const readOf = (key: string, access: KeyAccess, entry: ConfEntry<unknown> | undefined) => {
    const id = `${access} ${key}`;
    const noted = known.get(id) ?? settingRead(conf, { key, access, entry });
    known.set(id, noted);
    return noted;
  };
  return conf.observed({
    onKey: (key, access, entry) => recorder.note(readOf(key, access, entry)),
    onVersion: () => recorder.note(version),
  });
}

interface SettingAccess {
  readonly key: string;
  readonly access: KeyAccess;
  /** Without it, the table of all settings is loaded. */
  readonly entry: ConfEntry<unknown> | undefined;
}

function settingRead(conf: SparkConf, { key, access, entry }: SettingAccess): Read {
  const setting = conf.settings().find((candidate) => candidate.key === key);
  const text = setting?.value ?? defaultOf(key, entry);
  const cause: Cause = setting === undefined ? { kind: "default", key, value: text } : { kind: "setting", ...setting };
  if (access === "list") return { cause, texts: [], names: [key], isOptional: true };
  const texts = text === undefined ? [] : [text, ...text.split(",")].filter((part) => part !== "");
  if (access === "key") return { cause, texts, names: [], isOptional: false };
  return { cause, texts: texts.filter(isDistinctive), names: memberNames(key), isOptional: true };
}

function defaultOf(key: string, entry: ConfEntry<unknown> | undefined): string | undefined {
  const text = entry?.defaultText ?? defaultTextOf(key);
  return text === noDefault ? undefined : text;
}

/** Whether a text in a field is probably a copy of the input, not a coincidence. */
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
  const argument = (what: string, ...texts: readonly (string | undefined)[]) =>
    recorder.note(read({ kind: "argument", what }, texts));
  return observed<SubmitRequest>(
    { ...request, conf: observedConf(request.conf, recorder) },
    {
      appResource: ({ uri }) => argument("primary resource", uri),
      mainClass: (name) => argument("main class", name),
      appArgs: (args) => args.length > 0 && argument("application arguments", ...args),
      proxyUser: (user) => user !== undefined && argument("--proxy-user", user),
    },
  );
}

function observedFacts(facts: Facts, { conf }: SubmitRequest, recorder: Recorder): Facts {
  const generated = (what: string) => (text: string | undefined) =>
    recorder.note({ ...read({ kind: "generated", what }, [text]), isOptional: true });
  const machine = (what: string, text?: string) => recorder.note(read({ kind: "machine", what }, [text]));
  const setting = (key: string, entry?: ConfEntry<unknown>) =>
    recorder.note(settingRead(conf, { key, access: "key", entry }));
  const entry = (read: ConfEntry<unknown>) => setting(read.key, read);
  const variable = (name: string, text: string | undefined) =>
    text !== undefined && recorder.note(read({ kind: "variable", name }, [text]));
  const observedIds = observed(facts.uniqueIds, {
    resourceNamePrefix: generated("ID in names"),
    driverService: generated("ID of the driver's service"),
    confMap: generated("ID of the ConfigMap"),
  });
  return observed<Facts>(
    {
      ...facts,
      uniqueIds: observedIds,
      env: observedRecord(facts.env, variable),
      credentialFiles: observedRecord(facts.credentialFiles, (key) => setting(key)),
    },
    {
      appId: generated("application ID"),
      localDirUuid: generated("ID of the local directory"),
      submitDate: generated("time of the submission"),
      userName: (name) => machine("user of this machine", name),
      confDirectory: (directory) => directory !== undefined && machine(`files of ${directory.path}`),
      driverTemplate: () => entry(podTemplateFile.driver),
      executorTemplateText: () => entry(podTemplateFile.executor),
      hadoopDirectory: (directory) => variable("HADOOP_CONF_DIR", directory?.path),
      kerberos: (files) => Object.values(files).some((file) => file !== undefined) && entry(krb5Path),
      podGroupTemplate: () => entry(volcanoPodGroupTemplateFile),
      driverMaster: (address) => address !== undefined && machine("address of the embedded cluster", address),
    },
  );
}

/** Returns a copy of the traits of a Spark line that notes the newest older line that differs in a trait. */
export function observedTraits(traits: SparkLineTraits, line: SparkLine, recorder: Recorder): SparkLineTraits {
  const older = sparkLines.slice(0, sparkLines.indexOf(line)).toReversed();
  const known = new Map<string, Read | undefined>();
  return observedRecord(traits, (name, value) => {
    if (!known.has(name)) {
      const before = older.find((candidate) => Reflect.get(traitsOf(candidate), name) !== value);
      known.set(name, before && read({ kind: "release", line, before }, []));
    }
    const noted = known.get(name);
    if (noted !== undefined) recorder.note(noted);
  });
}

/** Returns a proxy that passes each property value to its observer when it is read. */
function observed<T extends object>(record: T, observers: { readonly [K in keyof T]?: (value: T[K]) => unknown }): T {
  const byName: object = observers;
  return observedRecord(record, (name, value) => {
    const observe: ((value: unknown) => unknown) | undefined = Reflect.get(byName, name);
    observe?.(value);
  });
}

function observedRecord<T extends object>(record: T, onRead: (name: string, value: T[keyof T]) => unknown): T {
  return new Proxy(record, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof name === "string") onRead(name, value);
      return value;
    },
  });
}

function read(cause: Cause, texts: readonly (string | undefined)[]): Read {
  return { cause, texts: texts.flatMap((text) => (text ? [text] : [])), names: [], isOptional: false };
}
