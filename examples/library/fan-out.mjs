/**
 * Submits one application for each part of the data, some at a time, and repeats only what failed because of the cluster.
 *
 *     node --use-openssl-ca fan-out.mjs PARTS CONCURRENCY APP
 */
import { Firesteel, FiresteelError } from "firesteel";

const [parts, concurrency, app] = process.argv.slice(2);
const maxAttempts = 3;

const firesteel = new Firesteel();

/** Runs one attempt. Returns whether it succeeded, and if not, whether another one can. */
async function attempt(part) {
  try {
    const application = await firesteel.submit({ app, args: [part], name: `part-${part}` });
    const { state, failedBy, reason } = await application.wait({ diagnose: false });
    return { succeeded: state === "succeeded", isRetryable: failedBy === "infrastructure", reason: reason ?? state };
  } catch (error) {
    if (!(error instanceof FiresteelError)) throw error;
    return { succeeded: false, isRetryable: error.isRetryable, reason: error.message };
  }
}

async function run(part) {
  for (let number = 1; ; number += 1) {
    const { succeeded, isRetryable, reason } = await attempt(part);
    if (succeeded) return true;
    const isLast = !isRetryable || number === maxAttempts;
    console.error(`Part ${part} failed: ${reason}${isLast ? "" : "; trying again"}`);
    if (isLast) return false;
  }
}

/** Numbers of the parts; each worker takes the next one. */
const numbers = Array.from({ length: Number(parts) }, (_, index) => String(index)).values();
const failed = [];

async function work() {
  for (const part of numbers) if (!(await run(part))) failed.push(part);
}

try {
  await Promise.all(Array.from({ length: Number(concurrency) }, work));
} finally {
  await firesteel.close();
}
console.log(`${Number(parts) - failed.length} of ${parts} parts succeeded`);
if (failed.length > 0) process.exitCode = 1;
