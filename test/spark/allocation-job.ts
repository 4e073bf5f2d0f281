import { executorScript } from "./executor-script.ts";

/**
 * Builds a job under dynamic allocation, as a script in Python. It starts with the body, which can use:
 * - `held(name, count)`, a job of `count` tasks that run until `count` executors have run one at the same time
 * - `totals(parts)`, the result of a shuffle with `parts` map tasks; `expected(parts)`, its right content
 * - `live()`, the number of executors; `wait_until(condition, seconds)`
 *
 * Then it prints, by the event log, the numbers of map tasks that succeeded, of executors that were added, and the reasons of their removal.
 *
 * @param directory directory that driver and executors share
 */
export function allocationJob(directory: string, body: string): string {
  return `${executorScript}
import glob, json

# The fallback storage counts as a block manager, but not as an executor.
def live():
    return sc._jsc.sc().getExecutorIds().size()

# In one file per executor: tasks end when all executors have one.
def hold(directory, count):
    def task(_):
        os.makedirs(directory, exist_ok=True)
        open(os.path.join(directory, executor()), "w").close()
        return executor() if wait_until(lambda: len(os.listdir(directory)) >= count, 240) else None
    return task

def held(name, count):
    return set(sc.parallelize(range(count), count).map(hold("${directory}/" + sc.applicationId + "-" + name, count)).collect())

def totals(parts):
    return sc.parallelize(range(1000), parts).map(lambda n: (n % 10, n)).reduceByKey(max, 4)

expected = [(n, 990 + n) for n in range(10)]

def log_of(name):
    logger = sc._jvm.org.apache.logging.log4j
    logger.core.config.Configurator.setLevel("org.apache.spark." + name, logger.Level.INFO)

${body}

log = sc.getConf().get("spark.eventLog.dir") + "/" + sc.applicationId
spark.stop()
events = [json.loads(line) for line in open(log)]
of = lambda name: [event for event in events if event["Event"] == "SparkListener" + name]
maps = [task for task in of("TaskEnd") if task["Task Type"] == "ShuffleMapTask" and task["Task End Reason"]["Reason"] == "Success"]
print("map tasks", len(maps))
print("executors added", len(of("ExecutorAdded")))
print("removed", sorted(set(event["Removed Reason"] for event in of("ExecutorRemoved"))))
`;
}

/** Settings of these jobs besides those of their kind of dynamic allocation. Executors are small, so that many fit a node. */
export const allocationSettings: readonly string[] = [
  ...["spark.eventLog.enabled=true", "spark.eventLog.dir=/tmp", "spark.eventLog.compress=false"],
  ...["spark.eventLog.rolling.enabled=false", "spark.kubernetes.executor.request.cores=0.1"],
  ...["spark.kubernetes.driver.request.cores=0.1", "spark.executor.memory=512m"],
  ...["spark.dynamicAllocation.executorIdleTimeout=2s", "spark.kubernetes.allocation.batch.size=20"],
];

/** Builds the settings of a directory of the node at the same path in driver and executors. */
export function sharedDirectory(path: string): readonly string[] {
  return ["driver", "executor"].flatMap((role) => {
    const volume = `spark.kubernetes.${role}.volumes.hostPath.shared`;
    return [`${volume}.mount.path=${path}`, `${volume}.options.path=${path}`, `${volume}.mount.readOnly=false`];
  });
}
