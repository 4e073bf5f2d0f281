"""Computes Pi in slices, then prints the processor time that the containers of the driver and the executors have used so far."""

import math
import sys

from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession


def container_cpu_seconds():
    try:
        with open("/sys/fs/cgroup/cpuacct/cpuacct.usage") as usage:
            return int(usage.read()) / 1e9
    except FileNotFoundError:
        with open("/sys/fs/cgroup/cpu.stat") as statistics:
            return int(dict(line.split() for line in statistics)["usage_usec"]) / 1e6


def area_of(first, steps, count):
    return sum(math.sqrt(1 - ((step + 0.5) / count) ** 2) / count for step in range(first, first + steps))


def executor_cpu_seconds(_):
    # All tasks run at the same time, so each executor with one core has one.
    BarrierTaskContext.get().barrier()
    return [container_cpu_seconds()]


slices, steps = int(sys.argv[1]), int(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext
executors = int(context.getConf().get("spark.executor.instances"))
areas = context.range(slices, numSlices=slices).map(lambda part: area_of(part * steps, steps, slices * steps))
print(f"Pi is roughly {4 * areas.sum()}")
used = context.range(executors, numSlices=executors).barrier().mapPartitions(executor_cpu_seconds).collect()
print(f"Processor time: {container_cpu_seconds() + sum(used):.2f} s, {len(used)} executors")
spark.stop()
