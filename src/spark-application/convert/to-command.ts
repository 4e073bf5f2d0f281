import { optionKeys } from "../../conf/entries/spark-application.ts";
import type { Converted, Convertible } from "./convertible.ts";
import { SettingsTaker } from "./settings-taker.ts";
import { type TemplateFiles, withTemplates } from "./to-own.ts";

/** Converts a submission to the arguments of spark-submit: options with their values, then the application. */
export function toCommand(input: Convertible, templateFiles: TemplateFiles): Converted<readonly (readonly string[])[]> {
  const taker = new SettingsTaker(withTemplates(input.settings, templateFiles));
  const { lists } = optionKeys;
  const options: readonly (readonly [string, string | undefined])[] = [
    ["--master", input.master],
    ["--deploy-mode", input.deployMode],
    ["--name", input.name],
    ["--class", input.mainClass],
    ["--proxy-user", input.proxyUser],
    ["--jars", taker.take(lists.jars)],
    ["--files", taker.take(lists.files)],
    ["--archives", taker.take(lists.archives)],
    ["--py-files", taker.take(lists.pyFiles)],
    ["--packages", taker.take(lists.packages)],
    ["--exclude-packages", taker.take(lists.excludePackages)],
    ["--repositories", taker.take(lists.repositories)],
  ];
  const conf = Object.entries(taker.rest()).map(([key, value]) => ["--conf", `${key}=${value}`]);
  const specified = options.flatMap(([option, value]) =>
    value === undefined || value === "" ? [] : [[option, value]],
  );
  return {
    result: [...specified, ...conf, [input.resource, ...input.appArgs]],
    notes: lifetimeNotes(input),
  };
}

function lifetimeNotes({ lifetime }: Convertible): readonly string[] {
  const { restartPolicy, suspend, timeToLiveSeconds } = lifetime;
  const repeats = restartPolicy?.type !== undefined && restartPolicy.type !== "Never";
  return [
    ...(repeats ? ["restartPolicy is left out: spark-submit runs an application once."] : []),
    ...(suspend === true ? ["suspend is left out: the command runs the application."] : []),
    ...(timeToLiveSeconds === undefined ? [] : ["timeToLiveSeconds is left out: spark-submit deletes no drivers."]),
  ];
}
