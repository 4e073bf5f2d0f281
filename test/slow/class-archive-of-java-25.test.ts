import { expect } from "vitest";
import { run } from "../acceptance/programs.ts";
import { java25 } from "../requirements.ts";
import { ownCache, sharedClasses } from "../spark/shared-classes.ts";
import { testWith } from "../test-with.ts";

testWith("Java 25")("Spark takes its classes from an archive of a Java that also has AOT caches", async () => {
  const env = { ...ownCache(), JAVA_HOME: java25() ?? "" };
  const prepared = await run("firesteel", ["spark", "prepare"], { env });
  expect(prepared, prepared.stderr).toMatchObject({ exit: 0 });
  const { driver, executor } = await sharedClasses(env);
  expect(driver).toBeGreaterThan(8000);
  expect(executor).toBeGreaterThan(4000);
});
