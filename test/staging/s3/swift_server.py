"""Runs OpenStack Swift with its S3 API in one process, and ends when stdin closes. Everything except that API listens on loopback.

usage: swift_server.py DIR ADDRESS    prints the port of the S3 API when it responds
"""

import configparser
import os
import sys
import threading

import eventlet

eventlet.patcher.monkey_patch(thread=False)

from eventlet import wsgi  # noqa: E402

directory, address = sys.argv[1:]


def write(name, sections):
    parser = configparser.RawConfigParser()
    for section, values in sections.items():
        parser[section] = values
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        parser.write(file)
    return path


def end_with_parent():
    while os.read(0, 1024):
        pass
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()

write("swift.conf", {"swift-hash": {"swift_hash_path_prefix": "test", "swift_hash_path_suffix": "test"}})

from swift.common import utils  # noqa: E402

utils.SWIFT_CONF_FILE = os.path.join(directory, "swift.conf")
utils.validate_hash_conf()

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402
import swift.common.storage_policy as storage_policy  # noqa: E402

storage_policy.utils.SWIFT_CONF_FILE = utils.SWIFT_CONF_FILE
reload_storage_policies()

os.makedirs(os.path.join(directory, "devices", "d1"), exist_ok=True)


def listen(at="127.0.0.1"):
    return eventlet.listen((at, 0), backlog=512)


class Cache:
    """The operations of memcached that one process needs."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_, **__):
        return self.values.get(key)

    def set(self, key, value, *_, **__):
        self.values[key] = value

    def delete(self, key, *_, **__):
        self.values.pop(key, None)

    def incr(self, key, delta=1, *_, **__):
        self.values[key] = self.values.get(key, 0) + delta
        return self.values[key]

    def decr(self, key, delta=1, *_, **__):
        return self.incr(key, -delta)


def serve(socket, app):
    with open(os.devnull, "w") as nowhere:
        wsgi.server(socket, app, nowhere, log_output=False, keepalive=True, max_size=1024, socket_timeout=600)


common = {"swift_dir": directory, "devices": os.path.join(directory, "devices"), "mount_check": "false", "user": "root"}
for kind in ("account", "container", "object"):
    socket = listen()
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(
        {
            "id": 0,
            "region": 1,
            "zone": 1,
            "ip": "127.0.0.1",
            "port": socket.getsockname()[1],
            "replication_ip": "127.0.0.1",
            "replication_port": socket.getsockname()[1],
            "device": "d1",
            "weight": 1.0,
            "meta": "",
        }
    )
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, f"{kind}.ring.gz"))
    path = write(
        f"{kind}.conf",
        {
            "DEFAULT": common,
            "pipeline:main": {"pipeline": f"{kind}-server"},
            f"app:{kind}-server": {"use": f"egg:swift#{kind}"},
        },
    )
    eventlet.spawn(serve, socket, loadapp(path))

filters = ["catch_errors", "listing_formats", "s3api", "tempauth", "copy", "slo", "dlo", "versioned_writes"]
path = write(
    "proxy.conf",
    {
        "DEFAULT": common,
        "pipeline:main": {"pipeline": " ".join([*filters, "proxy-server"])},
        "app:proxy-server": {
            "use": "egg:swift#proxy",
            "account_autocreate": "true",
            "allow_account_management": "true",
            "node_timeout": "120",
            "client_timeout": "120",
            "conn_timeout": "20",
        },
        **{f"filter:{name}": {"use": f"egg:swift#{name}"} for name in filters},
        "filter:s3api": {"use": "egg:swift#s3api", "s3_acl": "false", "location": "us-east-1", "allow_multipart_uploads": "true"},
        "filter:tempauth": {"use": "egg:swift#tempauth", "user_test_tester": "testing .admin"},
    },
)
proxy = loadapp(path)
cache = Cache()


def with_cache(environ, start_response):
    environ["swift.cache"] = cache
    return proxy(environ, start_response)


socket = listen(address)
print(socket.getsockname()[1], flush=True)
serve(socket, with_cache)
