/**
 * A job with a shuffle whose executors end between its stages. Prints how many map tasks ran for the 4
 * partitions, by the event log, and on which executors the second job ran.
 */
export const shuffleJob = (endExecutors: string): string => `
import glob, json, os, signal, time
from pyspark import TaskContext
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext

def executor():
    return os.environ["SPARK_EXECUTOR_POD_NAME"]

def parent(pid):
    return int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[1])

# A worker's parent is the daemon of workers, and that one's is the executor.
def die_first(part):
    if TaskContext.get().attemptNumber() == 0:
        os.kill(parent(os.getppid()), signal.SIGKILL)
        time.sleep(60)
    return executor()

def live():
    return sc._jsc.sc().getExecutorMemoryStatus().size() - 1

def wait_until(condition):
    for _ in range(1200):
        if condition():
            return True
        time.sleep(0.1)
    return False

print("started", wait_until(lambda: live() == 2))
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
export const killExecutors = `sc.parallelize(range(live()), live()).map(die_first).collect() and wait_until(lambda: live() >= 2)`;

/** Waits until dynamic allocation has removed both executors, because they are idle. */
export const idleExecutors = `wait_until(lambda: live() == 0)`;

/** Settings of the job besides those of the shuffle service. */
export const shuffleJobSettings = [
  ...["spark.eventLog.enabled=true", "spark.eventLog.dir=/tmp", "spark.eventLog.compress=false"],
  ...["spark.eventLog.rolling.enabled=false", "spark.executor.instances=2"],
];
