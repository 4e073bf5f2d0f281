"""Uses a cluster with the official Python client, and prints the results as one line of JSON."""

import json
import os
import sys
import threading

from kubernetes import client, config, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.stream import portforward, stream

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
# A retry may use the same cluster.
namespace = f"python-{os.getpid()}"
seen = {}

core.create_namespace({"metadata": {"name": namespace}})
events = []


def follow():
    for event in watch.Watch().stream(core.list_namespaced_config_map, namespace, timeout_seconds=60):
        name = event["object"].metadata.name
        if name == "own":
            events.append([event["type"], (event["object"].data or {}).get("a")])
            if event["type"] == "DELETED":
                return


follower = threading.Thread(target=follow)
follower.start()
core.create_namespaced_config_map(namespace, {"metadata": {"name": "own"}, "data": {"a": "1"}})
core.patch_namespaced_config_map("own", namespace, {"data": {"a": "2"}})
core.delete_namespaced_config_map("own", namespace)
follower.join(60)
seen["watch"] = events

dynamic = DynamicClient(client.ApiClient())
maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
applied = maps.server_side_apply(
    namespace=namespace,
    name="applied",
    body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"k": "v"}},
    field_manager="tester",
)
seen["applied"] = applied.data.to_dict()
try:
    core.read_namespaced_secret("nothing", namespace)
except ApiException as error:
    seen["missing"] = {"code": error.status, "reason": json.loads(error.body)["reason"]}

main = {"name": "main", "image": "busybox:1", "imagePullPolicy": "IfNotPresent"}
utils.create_from_dict(
    client.ApiClient(),
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "pod", "namespace": namespace},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [
                {
                    **main,
                    "env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
                    "command": ["sh", "-c", "echo a line; exec python3 -m http.server 8080 --bind $IP --directory /usr"],
                }
            ],
        },
    },
)
for event in watch.Watch().stream(core.list_namespaced_pod, namespace, field_selector="metadata.name=pod"):
    if event["object"].status.phase == "Running":
        break

command = ["sh", "-c", "read line; echo got $line; echo err >&2; exit 4"]
session = stream(
    core.connect_get_namespaced_pod_exec,
    "pod",
    namespace,
    command=command,
    stdin=True,
    stdout=True,
    stderr=True,
    _preload_content=False,
)
session.write_stdin("this\n")
session.run_forever(timeout=60)
seen["exec"] = {"out": session.read_stdout(), "error": session.read_stderr(), "code": session.returncode}
seen["log"] = core.read_namespaced_pod_log("pod", namespace, limit_bytes=7)

core.create_namespaced_service(
    namespace, {"metadata": {"name": "web"}, "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]}}
)
for _ in range(200):
    try:
        page = core.connect_get_namespaced_pod_proxy_with_path("pod:8080", namespace, "bin/")
        seen["proxy"] = "Directory listing for /bin/" in page
        break
    except ApiException as error:
        if error.status != 503:
            raise
        threading.Event().wait(0.05)

forward = portforward(core.connect_get_namespaced_pod_portforward, "pod", namespace, ports="8080")
socket = forward.socket(8080)
socket.setblocking(True)
socket.sendall(b"GET /nothing HTTP/1.0\r\n\r\n")
answer = b""
while True:
    chunk = socket.recv(4096)
    if not chunk:
        break
    answer += chunk
seen["forwarded"] = answer.split(b"\r\n")[0].decode()

labels = {"app": "x"}
apps.create_namespaced_deployment(
    namespace,
    {
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{**main, "command": ["sleep", "1000"]}]},
            },
        },
    },
)
scale = apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 2}})
seen["scaled"] = scale.spec.replicas
apps.delete_namespaced_deployment("web", namespace, propagation_policy="Foreground")
core.delete_namespace(namespace)
print(json.dumps(seen))
