import type { LeafValue } from "./leaves.ts";
import { leavesOf } from "./leaves.ts";
import type { Part, SubmissionObjects } from "./submission-objects.ts";

/** One field of one object of a submission. */
export interface Field {
  readonly part: Part;
  /** Name of the object in comparisons, without generated IDs: `Service/driver-svc`. */
  readonly objectId: string;
  /** Kind and name, e.g. `Service/spark-pi-3f09c2a1d4e5b6f0-driver-svc`. */
  readonly object: string;
  readonly kind: string;
  readonly path: string;
  readonly indexed: string;
  readonly value: LeafValue;
}

/** Objects whose names are those of a driver or its executor. */
type NamedObjects = Pick<SubmissionObjects, "driver" | "executor" | "objects">;

/** Returns all fields of objects, by keys without generated IDs. */
export function fieldsOf(submission: NamedObjects): ReadonlyMap<string, Field> {
  return new Map(
    submission.objects.flatMap(({ part, object }) => {
      const { kind } = object;
      const name = object.metadata.name ?? "";
      const objectId = part === "driver" || part === "executor" ? part : `${kind}/${plainName(submission, name)}`;
      return leavesOf(object).map(({ id, path, indexed, value }): [string, Field] => [
        `${objectId} ${id}`,
        { part, objectId, object: `${kind}/${name}`, kind, path, indexed, value },
      ]);
    }),
  );
}

/** Removes the application name and generated IDs from a name. */
function plainName({ driver, executor }: NamedObjects, name: string): string {
  if (name === driver.confMapName) return "conf-map";
  if (name === driver.serviceName) return "driver-svc";
  const prefixes = [driver.resourceNamePrefix, executor?.resourceNamePrefix].filter((prefix) => prefix !== undefined);
  const prefix = prefixes.find((candidate) => name.startsWith(`${candidate}-`));
  return prefix === undefined ? name : name.slice(prefix.length + 1);
}
