/** A command line and its environment by their parts, so that what has no order is compared without one. */
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

/** The command of a JVM, without the options that every JVM of that version is told. */
export function javaParts(args: readonly string[], env: Env, always: readonly string[]): CommandParts {
  const rest = [...args];
  const options: string[] = [];
  let classPath: readonly string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "-cp") classPath = (rest.shift() ?? "").split(":");
    else if (word.startsWith("-")) options.push(word);
    else
      return {
        options: options.filter((option) => !always.includes(option)).sort(),
        classPath: foldJars(classPath),
        mainClass: word,
        ...submitParts(rest),
        env: relevantEnv(env),
      };
  }
  throw new Error("a JVM without a class");
}

function submitParts(words: readonly string[]): SubmitParts {
  const rest = [...words];
  const conf: Record<string, string> = {};
  const submitOptions: Record<string, string | true> = {};
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("-")) return { conf, submitOptions, resource: word, arguments: rest };
    if (switches.includes(word)) submitOptions[word] = true;
    else if (word === "--conf") {
      const [, key = "", value = ""] = /^([^=]*)=([\s\S]*)$/.exec(rest.shift() ?? "") ?? [];
      conf[key] = value;
    } else submitOptions[word] = rest.shift() ?? "";
  }
  return { conf, submitOptions, resource: null, arguments: [] };
}

/** Of single jars only those that are left out are named. */
function foldJars(classPath: readonly string[]): readonly string[] {
  const jars = classPath.filter((entry) => /\/jars\/[^/*]+\.jar$/.test(entry));
  const isFolded = jars.length > 1;
  const others = classPath.filter((entry) => !isFolded || !jars.includes(entry));
  return [...others, ...(isFolded ? ["each jar of {{SPARK_HOME}}/jars/"] : [])].sort();
}

const kept = /^(SPARK_|PYSPARK_|PYTHON|LD_LIBRARY_PATH$|MASTER$|OMP_NUM_THREADS$|R_PROFILE_USER$|SPARKR_)/;
/** Read by Spark's scripts for each other, or different on each machine. */
const leftOut = /^SPARK_(HOME|ENV_LOADED|SCALA_VERSION|BEELINE_OPTS|SCALA_SHELL)$/;

/** The variables that mean something to Spark. */
export function relevantEnv(env: Env): Readonly<Record<string, unknown>> {
  const entries = Object.entries(env).filter(
    ([name, value]) => value !== undefined && kept.test(name) && !leftOut.test(name),
  );
  return Object.fromEntries(
    entries.map(([name, value = ""]) => [
      name,
      name === "PYSPARK_SUBMIT_ARGS" ? submitParts(quotedWords(value)) : value,
    ]),
  );
}

function quotedWords(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, word = ""]) => word.replace(/\\(.)/gs, "$1"));
}
