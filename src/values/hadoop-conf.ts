/** What `${…}` in Hadoop's properties may refer to besides other properties. */
export interface HadoopVariables {
  /** `${env.NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `${user.name}` and other properties of the JVM that we can know; they win over properties of the same name. */
  readonly system: Readonly<Record<string, string | undefined>>;
}

/** Hadoop's configuration as a client sees it: properties by name, `${…}` in them replaced when they are read. */
export interface HadoopConf {
  /** Blanks around it cut; `undefined` where it is not set or empty. */
  readonly get: (name: string) => string | undefined;
  /** `true` in any case, or not; where neither word stands, `absent`. */
  readonly getBoolean: (name: string, absent: boolean) => boolean;
  /** Between commas, blanks cut, empty ones dropped. */
  readonly getList: (name: string) => readonly string[];
  /** As written, `${…}` included, sorted by name. */
  readonly entries: () => readonly (readonly [name: string, value: string])[];
  /** The same with other values for some. */
  readonly with: (more: ReadonlyMap<string, string>) => HadoopConf;
}

/** Makes a configuration of properties as they are written. */
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
      const word = get(name)?.toLowerCase();
      return word === "true" || (word !== "false" && absent);
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
 * Replaces `${…}` from the left, again and again; what cannot be resolved ends it and stays as written.
 *
 * Source: Hadoop Configuration.substituteVars.
 */
function expand(
  text: string,
  written: ReadonlyMap<string, string>,
  { env, system }: HadoopVariables,
): string {
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
