import { cpSync, linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildJavaExample } from "../../src/cli/commands/demo/java-pi.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { root, start, temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, testWith } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { baseImage, imageStore } from "./image-store.ts";

const base = debianWithNode();
const spark35 = sparkOf("3.5");
const spark43 = sparkOf("4.3");

describeWith(base)("images of Spark that Buildah builds", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const { configOf, inside, leftovers } = store;
  const cluster = sparkCluster();

  interface SparkBuild {
    readonly name: string;
    /** Directory of the distribution. */
    readonly spark: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly output?: string;
  }

  /** Builds an image, and checks what all of Spark's images have. Returns its name. */
  async function build({ name, spark, env = {}, output }: SparkBuild): Promise<string> {
    const tag = `localhost/${name}:test`;
    const args = [name, "--spark-home", spark, "--tag", tag, ...(output === undefined ? [] : ["--output", output])];
    const built = await store.buildWith(env, ...args);
    expect(built, built.stderr).toMatchObject({ exit: 0, stdout: `${tag}\n` });
    expect(configOf(tag)).toMatchObject({
      ...{ User: "185", Entrypoint: ["/opt/entrypoint.sh"] },
      Labels: { "org.opencontainers.image.title": "spark" },
    });
    expect(leftovers(tag)).toBe("");
    expect(inside(tag, "test -f /opt/spark/RELEASE && /opt/entrypoint.sh sh -c 'cat /proc/$PPID/comm'")).toBe("tini\n");
    return tag;
  }

  /** Builds an image and loads it into the cluster. Returns its name there. */
  async function buildAndLoad({ name, spark }: SparkBuild): Promise<string> {
    const archive = join(store.directory, `${name}.tar`);
    await build({ name, spark, output: `docker-archive:${archive}` });
    const loaded = await cluster.firesteel("cluster", "image", "load", archive, "--tag", `${name}:test`);
    expect(loaded, loaded.stderr).toMatchObject({ exit: 0 });
    return `${name}:test`;
  }

  const sharedClasses = (log: string) => log.match(/ source: shared objects file \(top\)$/gm)?.length ?? 0;

  testWith(spark43)("spark-py shares its classes, and grows by less than 200 MB", async () => {
    const image = await buildAndLoad({ name: "spark-py", spark: available(spark43).home });
    const tag = `localhost/${image}`;
    const sizeBytes = Number(inside(tag, "stat --format %s /opt/class-sharing/spark.jsa"));
    expect(sizeBytes).toBeLessThan(200_000_000);
    expect(statSync(join(store.directory, "spark-py.tar")).size).toBeGreaterThan(sizeBytes);
    const { exit, stdout, stderr } = await cluster.submit(
      ...["--conf", `spark.kubernetes.container.image=${image}`, "--conf", "spark.executor.instances=2"],
      ...["--conf", "spark.driver.extraJavaOptions=-Xlog:class+load"],
      ...["local:///opt/spark/examples/src/main/python/pi.py", "4"],
    );
    expect(stdout, stderr).toMatch(/^Pi is roughly 3\.1/m);
    expect(exit).toBe(0);
    expect(sharedClasses(stdout)).toBeGreaterThan(8000);
  });

  testWith("missing" in spark35 ? spark35 : "a Java compiler")(
    "spark of line 3.5 runs a Java application",
    async () => {
      const spark = available(spark35);
      const image = await buildAndLoad({ name: "spark", spark: spark.home });
      const source = join(root, "examples", "java-pi", "JavaPi.java");
      const { directory, jar } = await buildJavaExample(nodeHost(), { source, spark, javaHome: undefined });
      const { exit, stdout, stderr } = await cluster.submitFrom(
        directory,
        [
          ...["--class", "JavaPi", "--conf", `spark.kubernetes.container.image=${image}`],
          ...[
            "--conf",
            "spark.executor.instances=1",
            "--conf",
            "spark.driver.extraJavaOptions=-Xlog:class+load",
            jar,
            "2",
          ],
        ],
        { FIRESTEEL_SPARK_VERSION: "3.5" },
      );
      expect(stdout, stderr).toMatch(/^Pi is roughly 3\.1/m);
      expect(exit).toBe(0);
      expect(sharedClasses(stdout)).toBeGreaterThan(5000);
    },
  );

  testWith(spark43)("spark-r has SparkR and R, without an archive on request", async () => {
    const spark = withSparkR(available(spark43).home);
    const tag = await build({ name: "spark-r", spark, env: { FIRESTEEL_CLASS_SHARING: "off" } });
    const command = `cat /opt/spark/RELEASE /opt/spark/R/lib/SparkR/DESCRIPTION && Rscript -e 'cat(R.home(), "\\n")'
      echo "$R_HOME"; ls /opt/class-sharing`;
    expect(inside(tag, command)).toBe("Spark of a test\nPackage: SparkR\n/usr/lib/R \n/usr/lib/R\nbin\n");
  });

  test("an interrupted build leaves no image", async () => {
    const tag = "localhost/interrupted:test";
    const args = ["image", "build", "spark", "--engine", "buildah", "--base", baseImage, "--tag", tag];
    const { child, ended } = start("firesteel", args, { env: { ...store.env, ...cluster.env() } });
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk) => {
        if (String(chunk).includes("STEP 5")) resolve();
      });
      child.once("close", () => resolve());
    });
    child.kill("SIGINT");
    expect((await ended).exit).toBe(130);
    expect(store.buildah("images", "--format", "{{.Name}}:{{.Tag}}")).not.toContain(tag);
  });
});

/** Makes a complete release of a distribution, which lacks SparkR, with an empty SparkR. Returns its directory. */
function withSparkR(home: string): string {
  const directory = temporaryDirectory();
  for (const path of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const source = join(home, path);
    if (statSync(source).isDirectory()) continue;
    const target = join(directory, path);
    mkdirSync(dirname(target), { recursive: true });
    try {
      linkSync(source, target);
    } catch {
      // Another file system.
      cpSync(source, target);
    }
  }
  mkdirSync(join(directory, "R", "lib", "SparkR"), { recursive: true });
  writeFileSync(join(directory, "R", "lib", "SparkR", "DESCRIPTION"), "Package: SparkR\n");
  writeFileSync(join(directory, "RELEASE"), "Spark of a test\n");
  return directory;
}
