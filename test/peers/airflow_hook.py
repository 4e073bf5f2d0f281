"""Calls the spark-submit on the PATH with Airflow's SparkSubmitHook, and prints the results as JSON.

Reads PATH, KUBECONFIG and Airflow's own variables.
"""

import json
import threading
import time

from airflow.providers.cncf.kubernetes import kube_client
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook


# The only namespace in which the hook finds the driver of a submission that does not wait.
NAMESPACE = "spark"


def prepare():
    """Creates the namespace, and an account that can create executors."""
    from kubernetes import client

    core = kube_client.get_kube_client()
    access = client.RbacAuthorizationV1Api(core.api_client)
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "spark"}})
    binding = {
        "metadata": {"name": "spark"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
        "subjects": [{"kind": "ServiceAccount", "name": "spark", "namespace": NAMESPACE}],
    }
    access.create_namespaced_role_binding(NAMESPACE, binding)


def hook(**options):
    conf = {
        "spark.kubernetes.namespace": NAMESPACE,
        "spark.kubernetes.container.image": "spark",
        "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    }
    return SparkSubmitHook(conf=conf, conn_id="spark_embedded", name="airflow pi", **options)


def result_of(spark, **more):
    return {
        "driverPod": spark._kubernetes_driver_pod,
        "applicationId": spark._kubernetes_application_id,
        "exitCode": spark._spark_exit_code,
        **more,
    }


def submit(spark, application):
    try:
        spark.submit(application)
        return result_of(spark)
    except Exception as error:
        return result_of(spark, error=str(error))


def poll_with_api(application):
    spark = hook(application_args=["2"], track_driver_via_k8s_api=True)
    result = submit(spark, application)
    return {**result, "phase": spark._poll_k8s_driver_via_api()}


def kill_while_it_runs(application):
    """Kills as Airflow does when a task is stopped."""
    spark = hook(application_args=["1000"])
    results = []
    submission = threading.Thread(target=lambda: results.append(submit(spark, application)))
    submission.start()
    while submission.is_alive() and not is_running(spark._kubernetes_driver_pod):
        time.sleep(0.2)
    spark.on_kill()
    submission.join()
    return results[0]


def is_running(pod):
    if pod is None:
        return False
    return kube_client.get_kube_client().read_namespaced_pod(pod, NAMESPACE).status.phase == "Running"


if __name__ == "__main__":
    prepare()
    pi = "local:///opt/spark/examples/src/main/python/pi.py"
    print(
        json.dumps(
            {
                "runsToTheEnd": submit(hook(application_args=["2"]), pi),
                "fails": submit(hook(), "local:///no-such-script.py"),
                "isPolled": poll_with_api(pi),
                "isKilled": kill_while_it_runs(pi),
            }
        )
    )
