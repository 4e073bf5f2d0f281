/** Targets of references `${…}` in Hadoop's properties besides other properties. */
interface HadoopVariables {
  /** Values of `${env.NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of `${user.name}` and other JVM properties that are known without a JVM. They override properties of the same name. */
  readonly system: Readonly<Record<string, string | undefined>>;
}

/** Hadoop configuration of a client: properties by name, in which references `${…}` are replaced on reading. */
export interface HadoopConf {
  /** Returns the trimmed value; `undefined` if it is not set or empty. */
  readonly get: (name: string) => string | undefined;
  /** Returns whether the value is `true` in any case; `absent` if it is neither `true` nor `false`. */
  readonly getBoolean: (name: string, absent: boolean) => boolean;
  /** Returns the comma-separated items, trimmed and without empty ones. */
  readonly getList: (name: string) => readonly string[];
  /** Returns the properties as written, with references, sorted by name. */
  readonly entries: () => readonly (readonly [name: string, value: string])[];
  /** Returns a copy with other values for some properties. */
  readonly with: (more: ReadonlyMap<string, string>) => HadoopConf;
}

/** Creates a configuration from properties with references. */
export function hadoopConf(written: ReadonlyMap<string, string>, variables: HadoopVariables): HadoopConf {
  const get = (name: string) => {
    const value = written.get(name);
    if (value === undefined) return undefined;
    const expanded = expand(value, written, variables).trim();
    return expanded === "" ? undefined : expanded;
  };
  return {
    get,
    getBoolean: (name, absent) => {
      const value = get(name)?.toLowerCase();
      return value === "true" || (value !== "false" && absent);
    },
    getList: (name) =>
      (get(name) ?? "")
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== ""),
    entries: () => [...written].sort(([a], [b]) => (a < b ? -1 : 1)),
    with: (more) => hadoopConf(new Map([...written, ...more]), variables),
  };
}

const maxRounds = 20;

/**
 * Replaces references `${…}` repeatedly from the left, until one cannot be resolved.
 *
 * Source: Hadoop Configuration.substituteVars.
 */
function expand(text: string, written: ReadonlyMap<string, string>, { env, system }: HadoopVariables): string {
  const resolve = (name: string): string | undefined => {
    const [, variable, absent] = /^env\.([^:-]*)(?::?-(.*))?$/.exec(name) ?? [];
    if (variable !== undefined) return env[variable] || absent;
    return system[name] ?? written.get(name);
  };
  let expanded = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = /\$\{([^}$ ]+)\}/.exec(expanded);
    if (found === null) return expanded;
    const value = resolve(found[1] ?? "");
    if (value === undefined || value === found[0]) return expanded;
    expanded = expanded.slice(0, found.index) + value + expanded.slice(found.index + found[0].length);
  }
  return expanded;
}
