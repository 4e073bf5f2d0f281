"""Submits to a standalone master with Airflow's SparkSubmitHook, which follows the driver over REST, and prints the results as JSON.

Arguments: the application that the driver sees, its main class, and its arguments for each run, as JSON.
"""

import json
import sys
import threading
import time

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

APPLICATION, MAIN_CLASS, RUNS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def hook(args):
    conf = {"spark.master.rest.enabled": "true"}
    return SparkSubmitHook(
        conf=conf, conn_id="spark_gateway", name="airflow", java_class=MAIN_CLASS, application_args=args
    )


def result(run, error=None):
    return {"state": run._driver_status, "id": run._driver_id, "error": error and str(error)}


def to_the_end(args):
    run = hook(args)
    try:
        run.submit(APPLICATION)
        run._start_driver_status_tracking()
        return result(run)
    except Exception as error:
        return result(run, error)


def killed(args):
    run = hook(args)
    ends = []

    def follow():
        try:
            run.submit(APPLICATION)
            run._start_driver_status_tracking()
            ends.append(result(run))
        except Exception as error:
            ends.append(result(run, error))

    follower = threading.Thread(target=follow)
    follower.start()
    while run._driver_status != "RUNNING" and follower.is_alive():
        time.sleep(0.2)
    run.on_kill()
    follower.join()
    return ends[0]


ends = {name: to_the_end(RUNS[name]) for name in ("runsToTheEnd", "fails")}
print(json.dumps({**ends, "isKilled": killed(RUNS["isKilled"])}))
