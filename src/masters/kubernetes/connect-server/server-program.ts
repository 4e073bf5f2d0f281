/**
 * Python program of a Spark Connect server. It starts Spark's server, and ends when no client has used the server for as many seconds as
 * its argument says; with 0, it never ends.
 *
 * It uses methods of the server that are public in Java and not part of Spark's API. Source: Spark 3.5.7 to 4.3.0, SparkConnectService.
 */
export const serverProgram = `"""Serves Spark Connect until no client has used it for a while."""

import ipaddress
import os
import sys
import time

from pyspark import SparkConf
from pyspark.sql import SparkSession

ADDRESS = "spark.connect.grpc.binding.address"


def settings():
    """Makes the port available to port forwarding only, which authorizes its clients, unless a setting has an address."""
    conf = SparkConf()
    pod = os.environ.get("SPARK_DRIVER_BIND_ADDRESS", "")
    # Firesteel's embedded cluster forwards ports to the address of the pod, others to the pod's loopback.
    is_loopback = pod != "" and ipaddress.ip_address(pod).is_loopback
    return conf if conf.contains(ADDRESS) else conf.set(ADDRESS, pod if is_loopback else "127.0.0.1")


def trace(spark, service):
    """Returns a value that changes when clients use the server; None while an operation or a job runs."""
    executions = service.listActiveExecutions()
    if executions.isRight() or spark.sparkContext.statusTracker().getActiveJobsIds():
        return None
    # The time of the last execution, in a unit that differs between the releases.
    times = [executions.left().get()]
    # The server of Spark 3.5 does not list its sessions.
    if not spark.version.startswith("3."):
        sessions = service.sessionManager().listActiveSessions().iterator()
        while sessions.hasNext():
            times.append(sessions.next().lastAccessTimeMs())
    return times


def wait_until_idle(spark, service, idle_seconds):
    last, used = None, time.monotonic()
    while idle_seconds == 0 or time.monotonic() - used < idle_seconds:
        time.sleep(min(10, max(0.2, idle_seconds / 10)))
        current = trace(spark, service)
        if current is None or current != last:
            last, used = current, time.monotonic()


def main(idle_seconds):
    spark = SparkSession.builder.config(conf=settings()).getOrCreate()
    jvm = spark.sparkContext._jvm
    service = getattr(getattr(jvm.org.apache.spark.sql.connect.service, "SparkConnectService$"), "MODULE$")
    service.start(spark.sparkContext._jsc.sc())
    wait_until_idle(spark, service, idle_seconds)
    print(f"No client has used the server for {idle_seconds:g} s.", file=sys.stderr)
    none = jvm.scala.Option.empty()
    service.stop(none, none)
    spark.stop()


main(float(sys.argv[1]))
`;
