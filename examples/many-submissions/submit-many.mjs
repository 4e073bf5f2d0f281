/**
 * Submits one application many times from one process, 16 at a time, over shared connections.
 *
 *     node --use-openssl-ca submit-many.mjs COUNT <spark-submit arguments>
 */
import { nodeHost, parseCommandLine, sharedConnections, submit } from "firesteel";

const [count = "1", ...args] = process.argv.slice(2);
const concurrency = 16;

const host = nodeHost();
const { openClient, close } = sharedConnections();

/** Numbers of the submissions; each worker takes the next one. */
const numbers = Array.from({ length: Number(count) }, (_, index) => index + 1).values();

async function work() {
  for (const number of numbers) {
    const parsed = parseCommandLine([...args, String(number)], "4.3");
    if (!parsed.ok || parsed.value.action !== "submit") throw new Error("The arguments are not those of a submission.");
    const log = (level, logger, text) => level === "INFO" || console.error(`${level} ${logger}: ${text}`);
    const { podName, namespace } = await submit({ host, invocation: parsed.value, openClient, log });
    console.log(`${namespace}:${podName}`);
  }
}

try {
  await Promise.all(Array.from({ length: concurrency }, work));
} finally {
  close();
}
