import type { Pod } from "../../kube/types.ts";
import type { EarlierDriver } from "../submit/earlier-driver.ts";
import { submitDriver } from "../submit/submit-driver.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Submission of one attempt. */
interface EntrySubmission {
  readonly earlierDriver: EarlierDriver;
  /** Receives the output of the submission. */
  readonly onOutput: (text: string) => void;
}

/** Submits the present attempt of an application. @throws SubmitError with every problem */
export function submitEntry(
  { submitter, log, ending }: Pick<ApplicationsScope, "submitter" | "log" | "ending">,
  entry: Entry,
  submission: EntrySubmission,
): Promise<Pod> {
  return submitDriver(submitter, entry.record, {
    ...{ ...submission, log, ending },
    isDone: () => entry.end !== undefined || entry.record.killed !== undefined,
    onDriverRequest() {
      entry.canHaveDriver = true;
    },
    onRollBack(uid) {
      entry.rolledBack.add(uid);
      entry.phase = "submitting";
      entry.driver = undefined;
      [entry.hasPod, entry.isRunning, entry.isDisrupted] = [false, false, false];
    },
  });
}
