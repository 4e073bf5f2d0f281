"""An operator for the custom resource Greeting: runs a pod for each, reports the pod's phase in its status, and sets a default by a webhook."""

import json
import os
import ssl
import threading
import urllib.error
import urllib.request
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
NAMESPACE = os.environ["NAMESPACE"]
GROUP = os.environ["GROUP"]
GREETINGS = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/greetings"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
SERVER = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}"
TRUSTED = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")


def call(method, path, body=None, content_type="application/json"):
    with open(f"{ACCOUNT}/token") as token:
        headers = {"Authorization": f"Bearer {token.read()}", "Content-Type": content_type}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, headers, method=method)
    return urllib.request.urlopen(request, context=TRUSTED)


def watch(path):
    items = json.load(call("GET", path))
    yield from items["items"]
    with call("GET", f"{path}?watch=true&resourceVersion={items['metadata']['resourceVersion']}") as lines:
        for line in lines:
            yield json.loads(line)["object"]


def run_pods():
    for greeting in watch(GREETINGS):
        # Created before the webhook took effect.
        if "text" not in greeting["spec"]:
            continue
        name, uid = greeting["metadata"]["name"], greeting["metadata"]["uid"]
        owner = {"apiVersion": f"{GROUP}/v1", "kind": "Greeting", "name": name, "uid": uid, "controller": True}
        command = ["sh", "-c", f"echo {greeting['spec']['text']}"]
        container = {"name": "main", "image": os.environ["IMAGE"], "imagePullPolicy": "IfNotPresent", "command": command}
        metadata = {"name": f"{name}-pod", "labels": {"greeting": name}, "ownerReferences": [owner]}
        spec = {"restartPolicy": "Never", "containers": [container]}
        try:
            call("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        except urllib.error.HTTPError as error:
            # Each change of a greeting is seen; it has one pod.
            if error.code != 409:
                raise


def report_phases():
    for pod in watch(PODS):
        greeting = pod["metadata"].get("labels", {}).get("greeting")
        if greeting is not None:
            status = {"status": {"phase": pod["status"].get("phase", "Pending")}}
            call("PATCH", f"{GREETINGS}/{greeting}/status", status, "application/merge-patch+json")


class Webhook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        has_text = "text" in review["request"]["object"].get("spec", {})
        patch = [] if has_text else [{"op": "add", "path": "/spec/text", "value": "from-the-webhook"}]
        response = {
            "uid": review["request"]["uid"],
            "allowed": True,
            "patchType": "JSONPatch",
            "patch": b64encode(json.dumps(patch).encode()).decode(),
        }
        body = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


for work in run_pods, report_phases:
    threading.Thread(target=work, daemon=True).start()
server = ThreadingHTTPServer((os.environ["POD_IP"], 8443), Webhook)
certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
certificate.load_cert_chain("/certificate/tls.crt", "/certificate/tls.key")
server.socket = certificate.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
