import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import { isFields } from "../../src/values/fields.ts";
import { start, temporaryDirectory } from "./programs.ts";

/** Returns a text in the data of the first ConfigMap or Secret that has it; that of a Secret is decoded. */
export function dataOf(objects: readonly KubeResource[], kind: "ConfigMap" | "Secret", name: string): string {
  const texts = objects.flatMap(({ kind: own, data }) =>
    own === kind && isFields(data) && typeof data[name] === "string" ? [data[name]] : [],
  );
  const [text = ""] = texts;
  return kind === "Secret" ? Buffer.from(text, "base64").toString() : text;
}

/** Runs the init container with the objects of a submission that has only remote files. Returns the directory with the files. */
export async function localizedRemoteFiles(objects: readonly KubeResource[]): Promise<string> {
  const directory = temporaryDirectory();
  const urlsFile = join(directory, "remote-urls.json");
  writeFileSync(urlsFile, dataOf(objects, "Secret", "remote-urls.json"));
  const config: unknown = JSON.parse(dataOf(objects, "ConfigMap", "localize.json"));
  const sources = isFields(config) && Array.isArray(config["sources"]) ? config["sources"] : [];
  const own = { directory, sources: sources.map((source) => ({ ...source, urlsFile })), timeoutSeconds: 30 };
  writeFileSync(join(directory, "config.json"), JSON.stringify(own));
  const args = ["--termination-log", join(directory, "log"), join(directory, "config.json")];
  expect(await start("spark-init-container", args).ended).toMatchObject({ exit: 0 });
  return directory;
}
