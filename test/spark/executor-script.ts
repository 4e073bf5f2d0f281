/** Beginning of scripts about executors, in Python. `executor()` runs in a task. */
export const executorScript = `
import os, signal, time
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

def wait_until(condition, seconds=60):
    for _ in range(10 * seconds):
        if condition():
            return True
        time.sleep(0.1)
    return False
`;
