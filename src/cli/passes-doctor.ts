import { checkSubmission, type DoctorCall } from "../doctor/check-submission.ts";
import { hasFailure, printFindings } from "./print-findings.ts";

/** Checks a submission, and prints the findings to stderr. @returns whether it has no failure */
export async function passesDoctor(call: DoctorCall): Promise<boolean> {
  const findings = await checkSubmission(call);
  const isRejected = hasFailure(findings);
  call.host.stderr.write(`${printFindings(findings)}${isRejected ? "Nothing was submitted.\n" : ""}`);
  return !isRejected;
}
