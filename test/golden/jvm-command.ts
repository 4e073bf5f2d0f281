/** Parts of a command line and its environment, for a comparison regardless of the order. */
export interface CommandParts {
  readonly options: readonly string[];
  readonly classPath: readonly string[];
  readonly mainClass: string | null;
  readonly conf: Readonly<Record<string, string>>;
  readonly submitOptions: Readonly<Record<string, string | true>>;
  readonly resource: string | null;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, unknown>>;
}

type SubmitParts = Pick<CommandParts, "conf" | "submitOptions" | "resource" | "arguments">;

type Env = Readonly<Record<string, string | undefined>>;

const switches = ["--supervise", "--verbose", "-v", "--load-spark-defaults"];

/** Parses the command of a JVM, without the options that every JVM of the version gets. */
export function javaParts(args: readonly string[], env: Env, always: readonly string[]): CommandParts {
  const rest = [...args];
  const options: string[] = [];
  let classPath: readonly string[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "-cp") classPath = (rest.shift() ?? "").split(":");
    else if (arg.startsWith("-")) options.push(arg);
    else
      return {
        options: options.filter((option) => !always.includes(option)).sort(),
        classPath: foldJars(classPath),
        mainClass: arg,
        ...submitParts(rest),
        env: relevantEnv(env),
      };
  }
  throw new Error("a JVM without a class");
}

function submitParts(args: readonly string[]): SubmitParts {
  const rest = [...args];
  const conf: Record<string, string> = {};
  const submitOptions: Record<string, string | true> = {};
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("-")) return { conf, submitOptions, resource: arg, arguments: rest };
    if (switches.includes(arg)) submitOptions[arg] = true;
    else if (arg === "--conf") {
      const [, key = "", value = ""] = /^([^=]*)=([\s\S]*)$/.exec(rest.shift() ?? "") ?? [];
      conf[key] = value;
    } else submitOptions[arg] = rest.shift() ?? "";
  }
  return { conf, submitOptions, resource: null, arguments: [] };
}

/** Replaces the jars of the distribution by one entry. */
function foldJars(classPath: readonly string[]): readonly string[] {
  const jars = classPath.filter((entry) => /\/jars\/[^/*]+\.jar$/.test(entry));
  const isFolded = jars.length > 1;
  const others = classPath.filter((entry) => !isFolded || !jars.includes(entry));
  return [...others, ...(isFolded ? ["each jar of {{SPARK_HOME}}/jars/"] : [])].sort();
}

const relevant = /^(SPARK_|PYSPARK_|PYTHON|LD_LIBRARY_PATH$|MASTER$|OMP_NUM_THREADS$|R_PROFILE_USER$|SPARKR_)/;
/** Variables that Spark's scripts pass to each other, or that differ between machines. */
const excluded = /^SPARK_(HOME|ENV_LOADED|SCALA_VERSION|BEELINE_OPTS|SCALA_SHELL)$/;

/** Selects the variables that Spark reads. */
export function relevantEnv(env: Env): Readonly<Record<string, unknown>> {
  const entries = Object.entries(env).filter(
    ([name, value]) => value !== undefined && relevant.test(name) && !excluded.test(name),
  );
  return Object.fromEntries(
    entries.map(([name, value = ""]) => [
      name,
      name === "PYSPARK_SUBMIT_ARGS" ? submitParts(quotedArgs(value)) : value,
    ]),
  );
}

function quotedArgs(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, arg = ""]) => arg.replace(/\\(.)/gs, "$1"));
}
