/**
 * Prints precision and recall of the diagnosis of the recorded scenarios: `npm run measure:diagnosis`. Lists the wrong diagnoses of the half for
 * development; those of the other half stay hidden, so that no rule is written for them.
 */
import { accuracyOf, halvesOf, resultOf } from "../test/golden/fault-accuracy.ts";
import { recordedScenarios } from "../test/golden/recorded-fault.ts";
import { accuracyTable } from "./docs/accuracy-table.ts";

const halves = halvesOf(recordedScenarios().map(resultOf));
console.log(accuracyTable({ development: accuracyOf(halves.development), testing: accuracyOf(halves.testing) }));
for (const { id, cause, found, wrong } of halves.development) {
  if (found !== cause) console.log(`${id}: ${found}, not ${cause}`);
  else if (wrong.length > 0) console.log(`${id}: ${wrong.join(", ")} before ${cause}`);
}
