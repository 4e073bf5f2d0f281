"""Runs moto's S3 on a free local port, prints the port, and ends when stdin closes."""

import os
import threading

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


def end_with_parent():
    while os.read(0, 1024):
        pass
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(server.port, flush=True)
server.serve_forever()
