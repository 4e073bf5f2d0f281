import { fieldKeys, optionKeys, ownKeys } from "../../conf/entries/spark-application.ts";
import type { OwnApplication } from "../own/own-application.ts";
import { containerNames } from "../translate/role-template.ts";
import { type Converted, type Convertible, withoutUsualPodName } from "./convertible.ts";
import { present, SettingsTaker } from "./settings-taker.ts";

/** Files of pod templates, by role, that a form without templates refers to. */
export type TemplateFiles = Readonly<Partial<Record<"driver" | "executor", string>>>;

/** Converts a submission to Firesteel's own format. */
export function toOwn(input: Convertible, templateFiles: TemplateFiles): Converted<OwnApplication> {
  const taker = new SettingsTaker(withTemplates(withoutUsualPodName(input), templateFiles));
  const { lists } = optionKeys;
  const name = input.name ?? "spark-application";
  const fields = present({
    app: input.resource,
    class: input.mainClass,
    args: input.appArgs.length === 0 ? undefined : input.appArgs,
    master: input.master,
    namespace: taker.take(fieldKeys.namespace),
    image: taker.take(fieldKeys.image),
    sparkVersion: taker.take(optionKeys.sparkVersion),
    proxyUser: input.proxyUser,
    jars: taker.takeList(lists.jars),
    files: taker.takeList(lists.files),
    archives: taker.takeList(lists.archives),
    pyFiles: taker.takeList(lists.pyFiles),
    packages: taker.takeList(lists.packages),
    excludePackages: taker.takeList(lists.excludePackages),
    repositories: taker.takeList(lists.repositories),
    python: executableOf(taker.take(ownKeys.python)),
  });
  const conf = taker.rest();
  return {
    result: {
      name,
      ...fields,
      app: input.resource,
      ...(Object.keys(conf).length > 0 && { conf }),
      ...present(input.lifetime),
    },
    notes:
      input.deployMode === "client"
        ? ["Client mode is left out: applications in this format run in cluster mode."]
        : [],
  };
}

function executableOf(executable: string | undefined) {
  return executable === undefined ? undefined : { executable };
}

/** Adds the settings of template files. */
export function withTemplates(
  settings: ReadonlyMap<string, string>,
  files: TemplateFiles,
): ReadonlyMap<string, string> {
  const added = (["driver", "executor"] as const).flatMap((role) => {
    const path = files[role];
    if (path === undefined) return [];
    const { template, templateContainer } = fieldKeys[role];
    return [[template, path] as const, [templateContainer, containerNames[role]] as const];
  });
  return new Map([...settings, ...added]);
}
