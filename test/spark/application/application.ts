import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../acceptance/programs.ts";
import { zip } from "../../golden/zip.ts";

/** Application and the arguments that submit it from its directory, e.g. `--files conf.json job.py`. */
export interface Application {
  readonly directory: string;
  readonly args: readonly string[];
}

/** Directory of the applications' sources. */
const own = import.meta.dirname;

/** Contents that every application finds in its files and archives. */
export const foundByAll = "configured named unpacked zipped-up";

/** Files and archives with and without a `#name`, and a jar with a class. */
const dependencies = [
  ...["--files", "conf.json,plain.txt#renamed.txt"],
  ...["--archives", "env.tar.gz#env,plain.zip"],
  ...["--jars", "words.jar"],
];

/** Python script with modules and all kinds of files; driver and executors read them. */
export function pythonApplication(): Application {
  const directory = directoryWithDependencies();
  writeFileSync(join(directory, "libs.zip"), zip({ "zipped.py": "word = 'zip'\n" }));
  writeFileSync(join(directory, "helper.py"), "word = 'module'\n");
  copyFileSync(join(own, "job.py"), join(directory, "job.py"));
  const modules = ["--py-files", "libs.zip,helper.py"];
  return { directory, args: [...modules, ...dependencies, "job.py", "argument"] };
}

/** Java application whose main jar needs another one. `home` is a local Spark. */
export function javaApplication(home: string): Application {
  const directory = directoryWithDependencies();
  const classPath = `${join(directory, "words.jar")}:${home}/jars/*`;
  packClasses(directory, { sources: ["Main.java"], jar: "main.jar", classPath });
  return { directory, args: ["--class", "org.example.Main", ...dependencies, "main.jar", "argument"] };
}

/** R script that only its driver runs. */
export function rApplication(): Application {
  const directory = directoryWithDependencies();
  copyFileSync(join(own, "job.R"), join(directory, "job.R"));
  return { directory, args: [...dependencies, "job.R", "argument"] };
}

function directoryWithDependencies(): string {
  const directory = temporaryDirectory();
  const put = (name: string, content: string | Uint8Array) => writeFileSync(join(directory, name), content);
  put("conf.json", "configured");
  put("plain.txt", "named");
  put("plain.zip", zip({ "word.txt": "zipped-up" }));
  put("word.txt", "unpacked");
  execFileSync("tar", ["-czf", "env.tar.gz", "word.txt"], { cwd: directory });
  packClasses(directory, { sources: ["Words.java"], jar: "words.jar", texts: { "in-a-jar.txt": "jarred" } });
  return directory;
}

/** Compiles sources of this directory into a jar with additional texts, by name. */
export function packClasses(
  directory: string,
  {
    sources,
    jar,
    classPath = "",
    texts = {},
  }: {
    readonly sources: readonly string[];
    readonly jar: string;
    readonly classPath?: string;
    readonly texts?: Readonly<Record<string, string>>;
  },
): void {
  const classes = join(directory, `classes-of-${jar}`);
  mkdirSync(classes);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(classes, name), text);
  execFileSync("javac", [
    "--release",
    "17",
    "-cp",
    classPath,
    "-d",
    classes,
    ...sources.map((name) => join(own, name)),
  ]);
  execFileSync("jar", ["--create", "--file", join(directory, jar), "-C", classes, "."]);
}
