import { executorScript } from "./executor-script.ts";

/** Line that a job prints when its executors have ended and it waits for a file: see `waitUntilFile`. */
export const waitingLine = "between the stages";

/**
 * A job with a shuffle whose executors end between its stages. Prints how many map tasks ran for the 4
 * partitions, by the event log, and on which executors the second job ran.
 */
export const shuffleJob = (endExecutors: string): string => `
${executorScript}
import glob, json

def wait_until_file(path):
    print("${waitingLine}", flush=True)
    return wait_until(lambda: os.path.exists(path), 300)

print("started", wait_until(lambda: live() == 2, 120))
counted = sc.parallelize(range(1000), 4).map(lambda n: (n % 10, n)).reduceByKey(max, 4)
first = set(counted.map(lambda pair: executor()).collect())
print("ended", ${endExecutors})
result = sorted(counted.collect())
second = set(counted.map(lambda pair: executor()).collect())
spark.stop()
tasks = [json.loads(line) for log in glob.glob("/tmp/spark-*") if os.path.isfile(log) for line in open(log)]
ended = [task for task in tasks if task["Event"] == "SparkListenerTaskEnd" and task["Task Type"] == "ShuffleMapTask"]
succeeded = [task for task in ended if task["Task End Reason"]["Reason"] == "Success"]
print("result", result == [(n, 990 + n) for n in range(10)])
print("map tasks", len(succeeded))
print("replaced", len(first - second) > 0)
`;

/** Ends both executors by SIGKILL of their processes, as if they ran out of memory. */
export const killExecutors = `sc.parallelize(range(live()), live()).map(die_first).collect() and wait_until(lambda: live() >= 2, 120)`;

/** Waits until dynamic allocation has removed both executors, because they are idle. */
export const idleExecutors = `wait_until(lambda: live() == 0, 120)`;

/** Ends the executors, prints `waitingLine`, and waits until a file of the driver exists. */
export const waitUntilFile = (endExecutors: string, path: string): string =>
  `${endExecutors} and wait_until_file("${path}")`;

/** Settings of the job besides those of the shuffle service. */
export const shuffleJobSettings = [
  ...["spark.eventLog.enabled=true", "spark.eventLog.dir=/tmp", "spark.eventLog.compress=false"],
  ...["spark.eventLog.rolling.enabled=false", "spark.executor.instances=2"],
];

/** Settings with which dynamic allocation removes executors soon, but not before both have started. */
export const idleSettings = [
  ...["spark.dynamicAllocation.maxExecutors=2", "spark.dynamicAllocation.executorIdleTimeout=15s"],
];
