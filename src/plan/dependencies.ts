import { archives, files, jars, submitPyFiles } from "../conf/entries/app.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type DependencyUri, internalResource, parseDependencyUri } from "../values/dependency-uri.ts";
import type { AppResource } from "./app-resource.ts";

/** Settings that list dependencies, in the order in which Spark uploads the files. */
export const dependencyLists = [jars, files, archives, submitPyFiles] as const;

/** Locations of an application and of the files that it depends on. */
export interface Dependencies {
  /** `undefined` for an application without a primary resource. */
  readonly application: DependencyUri | undefined;
  /** URIs by setting key, e.g. of `spark.jars`, in the order of the setting. Invalid settings are empty. */
  readonly lists: ReadonlyMap<string, readonly DependencyUri[]>;
}

/** Parses the dependencies of a submission: the primary resource, jars, files, archives and Python files. */
export function planDependencies({
  conf,
  appResource: { uri },
}: {
  readonly conf: SparkConf;
  readonly appResource: AppResource;
}): Dependencies {
  return {
    application: uri === internalResource ? undefined : parseDependencyUri(uri),
    lists: new Map(dependencyLists.map((entry) => [entry.key, conf.readOrAbsent(entry)])),
  };
}
