"""A DAG that runs batches with Airflow's LivyOperator: one waits, one is deferred, one fails."""

from datetime import datetime

from airflow.providers.apache.livy.operators.livy import LivyOperator
from airflow.sdk import DAG

PI = "local:///opt/spark/examples/src/main/python/pi.py"

with DAG("livy_batches", start_date=datetime(2026, 1, 1), schedule=None):
    common = {"livy_conn_id": "livy_gateway", "polling_interval": 1, "num_executors": "1"}
    waits = LivyOperator(task_id="waits", file=PI, args=[2], **common)
    defers = LivyOperator(task_id="defers", file=PI, args=["2"], deferrable=True, **common)
    fails = LivyOperator(task_id="fails", file="local:///no-such-script.py", **common)
    waits >> defers >> fails
