/**
 * Runs one application, shows its log, and ends with its exit code. For cron, CI or a CronJob.
 *
 *     node --use-openssl-ca nightly-batch.mjs APP [ARGUMENTS]
 */
import { Firesteel, FiresteelError } from "firesteel";

const [app, ...args] = process.argv.slice(2);
const stopped = new AbortController();
process.once("SIGTERM", () => stopped.abort());
const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(6 * 60 * 60 * 1000)]);

const firesteel = new Firesteel({ log: ({ level, message }) => level !== "INFO" && console.error(message) });
try {
  const day = new Date().toISOString().slice(0, 10);
  // With the token, a second run on the same day returns the first application instead of a second one.
  const application = await firesteel.submit({ app, args, name: "nightly", token: `nightly-${day}`, signal });
  console.error(`Submitted ${application.id}`);
  for await (const line of application.logs({ signal })) console.log(line);
  const { state, exitCode, reason, diagnosis } = await application.wait({ signal });
  console.error(`The application ${state}${reason === undefined ? "" : `: ${reason}`}`);
  if (diagnosis !== undefined) console.error(`${diagnosis.message} ${diagnosis.nextStep}`);
  process.exitCode = state === "succeeded" ? 0 : (exitCode ?? 1);
} catch (error) {
  process.exitCode = 1;
  if (error instanceof FiresteelError) for (const { message, hint = "" } of error.issues) console.error(message, hint);
  else console.error(String(error));
} finally {
  await firesteel.close();
}
