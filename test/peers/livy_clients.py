"""Runs batches with the Python packages livy and livyclient, and with Airflow's LivyHook. Prints what they returned as JSON.

Argument: the URL of the server. Reads AIRFLOW_CONN_LIVY_GATEWAY.
"""

import json
import sys
import time

from airflow.providers.apache.livy.hooks.livy import LivyHook
from livy import LivyBatch as PylivyBatch
from livy.client import LivyClient
from livyclient import LivyBatch

PI = "local:///opt/spark/examples/src/main/python/pi.py"
URL = sys.argv[1]
CONF = {"spark.executor.instances": 1}


def pylivy():
    batch = PylivyBatch.create(URL, file=PI, args=["2"], name="pylivy", spark_conf=CONF)
    state = batch.wait()
    client = LivyClient(URL)
    listed = [found.batch_id for found in client.list_batches()]
    lines = batch.log(from_=0, size=1000)
    batch.kill()
    return {
        "version": str(client.server_version()),
        "isLegacy": client.legacy_server(),
        "state": state.value,
        "isListed": batch.batch_id in listed,
        "printed": [line for line in lines if line.startswith("Pi is roughly")],
        "afterKill": client.get_batch(batch.batch_id),
    }


def livyclient():
    client = LivyBatch(URL)
    batch = client.create_batches(file=PI, args=["2"], name="livyclient", num_executors=1)
    while client.get_state(batch.batch_id).state.value in ("not_started", "starting", "running"):
        time.sleep(0.5)
    done = client.get_batches(batch.batch_id)
    log = client.get_log(batch.batch_id)
    is_listed = batch.batch_id in [found.batch_id for found in client.list_batches()]
    client.delete_batches(batch.batch_id)
    return {"state": done.state.value, "appId": done.appId, "isListed": is_listed, "logLines": len(log.log)}


def airflow_kill():
    """Deletes a running batch, as LivyOperator does when its task is killed."""
    hook = LivyHook(livy_conn_id="livy_gateway")
    batch = hook.post_batch(file=PI, args=["1000"], conf=CONF)
    while hook.get_batch_state(batch).value != "running":
        time.sleep(0.5)
    deleted = hook.delete_batch(batch)
    try:
        hook.get_batch_state(batch)
    except Exception as error:
        return {"deleted": deleted, "after": str(error)[:200]}


if __name__ == "__main__":
    print(json.dumps({"pylivy": pylivy(), "livyclient": livyclient(), "airflowKill": airflow_kill()}))
