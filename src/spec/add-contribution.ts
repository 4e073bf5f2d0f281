import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import type { Contribution } from "../features/step.ts";
import { type Fields, isFields } from "../values/fields.ts";

/** Contribution with the name of its step. */
export interface StepContribution {
  /** The step's name, for messages. */
  readonly step: string;
  readonly contribution: Contribution;
}

/** Accumulated contribution of several steps. */
interface ContributionSum {
  readonly contribution: Contribution;
  /** Name of the step that set each value, by path. */
  readonly setBy: ReadonlyMap<string, string>;
}

const nothing: ContributionSum = { contribution: {}, setBy: new Map() };

/**
 * Adds up contributions: shared lists in the order of the steps, and everything else as a union, regardless of the order.
 *
 * Errors: SUBMIT_ERR_STEP_CONFLICT for each field that two steps set, even to the same value.
 */
export function addContributions(
  parts: readonly StepContribution[],
  before: ContributionSum = nothing,
): Result<ContributionSum> {
  const clashes: Issue[] = [];
  const setBy = new Map(before.setBy);
  const contribution = parts.reduce(
    (sum, { step, contribution: added }) => addFields(sum, added, { step, path: "", setBy, clashes }),
    before.contribution,
  );
  return unlessIssues(clashes, { contribution, setBy });
}

/** Lists to which several steps may add. Any other list is a single value. */
const sharedLists = new Set([
  "env",
  "ports",
  "volumes",
  "mounts",
  "initContainers",
  "warnings",
  "preResources",
  "resources",
]);

interface Position {
  readonly step: string;
  /** E.g. `container.resources.limits.cpu`; empty at the top. */
  readonly path: string;
  /** Name of the step that set each value, by path. */
  readonly setBy: Map<string, string>;
  readonly clashes: Issue[];
}

function addFields<T extends object>(present: T, added: T, at: Position): T;
function addFields(present: Fields, added: Fields, at: Position): Fields {
  const result: Record<string, unknown> = { ...present };
  for (const [field, value] of Object.entries(added)) {
    if (value === undefined) continue;
    const path = at.path === "" ? field : `${at.path}.${field}`;
    result[field] = addField(result[field], value, { ...at, path });
  }
  return result;
}

function addField(present: unknown, added: unknown, at: Position): unknown {
  const { step, path, setBy, clashes } = at;
  if (sharedLists.has(path) && Array.isArray(added)) {
    return Array.isArray(present) ? [...present, ...added] : added;
  }
  if (isFields(added) && (present === undefined || isFields(present))) {
    return addFields(present ?? {}, added, at);
  }
  if (present === undefined) {
    setBy.set(path, step);
    return added;
  }
  const first = [...setBy].find(([key]) => key === path || key.startsWith(`${path}.`))?.[1] ?? step;
  clashes.push(issue("SUBMIT_ERR_STEP_CONFLICT", { what: path, first, second: step }));
  return present;
}
