#!/usr/bin/env bash
# Makes the class data archive of the Spark in $SPARK_HOME for this Java, if that can make one, by an application that uses SQL, a
# shuffle and, where there is Python, Python. The argument is the directory for the archive, /opt/class-sharing in a container of Spark.
set -euo pipefail
target=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z ${JAVA_HOME:-} ]]; then
  java=$(readlink -f "$(command -v java)")
  JAVA_HOME=${java%/bin/java}
fi
export JAVA_HOME SPARK_LOCAL_IP=127.0.0.1

# Spark starts without an archive, too, only later.
go_on_without_archive() {
  echo "Warning: made no class data archive, so that Spark starts more slowly: $1" >&2
  exit 0
}

flags=$("$JAVA_HOME/bin/java" -XX:+PrintFlagsFinal -version 2> /dev/null) || true
[[ $flags == *" ArchiveClassesAtExit "* ]] || go_on_without_archive "the Java in $JAVA_HOME is older than 13 or has no such archives."

# More than half of the processor time of a start is that of Java's second compiler. It waits for ten times as many calls of a method
# and four times as many turns of a loop, which busy code reaches within a second.
if [[ $flags == *" Tier4InvocationThreshold "* ]]; then
  printf -- '-XX:Tier4%s\n' InvocationThreshold=50000 MinInvocationThreshold=6000 CompileThreshold=150000 BackEdgeThreshold=160000
fi > "$work/options"

cd "$SPARK_HOME/jars"
# Since Spark 4, its launcher puts this jar first.
{
  LC_ALL=C ls -- *.jar | grep '^slf4j-api-' || true
  LC_ALL=C ls -- *.jar | grep -v '^slf4j-api-'
} > "$work/jars"
core=$(echo spark-core_*.jar)
SPARK_SCALA_VERSION=${core#spark-core_}
export SPARK_SCALA_VERSION=${SPARK_SCALA_VERSION%%-*}
class_path=$(sed "s|^|$SPARK_HOME/jars/|" "$work/jars" | paste -sd:)
perl -e '
  for my $jar (@ARGV) {
    open my $file, "<:raw", $jar or die "$jar: $!";
    my $size = -s $file;
    my $tail = $size < 65557 ? $size : 65557;
    seek $file, -$tail, 2;
    read $file, my $end, $tail;
    my $at = rindex $end, "PK\5\6";
    next if $at < 0;
    my ($length, $start) = unpack "V2", substr $end, $at + 12, 8;
    seek $file, $start, 0;
    read $file, my $directory, $length;
    for (my $next = 0; substr($directory, $next, 4) eq "PK\1\2";) {
      my ($name, $extra, $comment) = unpack "v3", substr $directory, $next + 28, 6;
      my $path = substr $directory, $next + 46, $name;
      print "$path\n" unless $path =~ m|/|;
      $next += 46 + $name + $extra + $comment;
    }
  }' -- *.jar | LC_ALL=C sort -u > "$work/resources"

cat > "$work/train.py" << 'PYTHON'
import json
import os
import ssl
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pyspark.sql import SparkSession, functions

spark = SparkSession.builder.getOrCreate()
rows = spark.range(1000).withColumn("key", functions.col("id") % 7)
rows.groupBy("key").agg(functions.sum("id"), functions.count("*")).orderBy("key").collect()
rows.join(rows.select("key").distinct(), "key").count()
rows.createOrReplaceTempView("rows")
spark.sql("select key, max(id) from rows group by key having key > 1").collect()
spark.sparkContext.parallelize(range(100), 2).map(lambda x: (x % 3, x)).reduceByKey(lambda a, b: a + b).collect()
spark.stop()


class Kubernetes(BaseHTTPRequestHandler):
    """The few answers of a Kubernetes API that a driver needs to request an executor."""

    protocol_version = "HTTP/1.1"
    pods = []
    is_used = threading.Event()

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def sent(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")

    def do_GET(self):
        if "watch=true" in self.path:
            events = [{"type": "ADDED", "object": pod} for pod in self.pods]
            return self.answer(events[0] if events else {})
        if self.pods:
            self.is_used.set()
        metadata = {"resourceVersion": "2"}
        return self.answer({"apiVersion": "v1", "kind": "PodList", "metadata": metadata, "items": self.pods})

    def do_POST(self):
        sent = self.sent()
        sent.get("metadata", {}).update(uid="1", resourceVersion="1", creationTimestamp="2020-01-01T00:00:00Z")
        if sent.get("kind") == "Pod":
            state = {"running": {"startedAt": "2020-01-01T00:00:00Z"}}
            container = {"name": "spark", "image": "spark", "imageID": "", "ready": True, "restartCount": 0, "state": state}
            condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}
            sent["status"] = {"phase": "Running", "containerStatuses": [container], "conditions": [condition]}
            self.pods.append(sent)
        self.answer(sent, 201)

    def do_PATCH(self):
        self.answer(self.sent())

    do_PUT = do_PATCH

    def do_DELETE(self):
        self.sent()
        self.answer({"apiVersion": "v1", "kind": "Status", "status": "Success"})

    def log_message(self, *_):
        pass


# A driver on Kubernetes. Without it, the archive is only smaller.
try:
    api = ThreadingHTTPServer(("127.0.0.1", 0), Kubernetes)
    work = os.path.dirname(__file__)
    certificate = os.path.join(work, "api.pem")
    has_tls = os.path.exists(certificate)
    if has_tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, os.path.join(work, "api-key.pem"))
        # The handshake is part of the request's thread: clients open connections that they do not use.
        api.socket = context.wrap_socket(api.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    settings = {
        "spark.master": "k8s://%s://127.0.0.1:%d" % ("https" if has_tls else "http", api.server_port),
        "spark.kubernetes.container.image": "spark",
        "spark.kubernetes.executor.apiPollingInterval": "1s",
        "spark.executor.instances": "1",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "1s",
    }
    if has_tls:
        settings["spark.kubernetes.authenticate.caCertFile"] = certificate
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    driver = builder.getOrCreate()
    if not Kubernetes.is_used.wait(120):
        print("The driver on Kubernetes requested no executor.")
    driver.stop()
except Exception:
    traceback.print_exc()
PYTHON
cat > "$work/train.sql" << 'SQL'
create temporary view numbers as select id, id % 7 as key from range(1000);
select key, sum(id), count(*) from numbers group by key order by key;
select count(*) from numbers join (select distinct key from numbers) using (key);
SQL
cat > "$work/spark.properties" << EOF
spark.master local[2]
spark.ui.enabled true
spark.ui.port 0
spark.driver.bindAddress 127.0.0.1
spark.driver.host 127.0.0.1
spark.local.dir $work
spark.sql.warehouse.dir $work/warehouse
spark.sql.catalogImplementation in-memory
EOF
# Pods reach the API by TLS. Its classes are in the archive if there is a program that makes a certificate.
if command -v openssl > /dev/null; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$work/api-key.pem" -out "$work/api.pem" 2> /dev/null || rm -f "$work/api.pem"
fi
if command -v python3 > /dev/null; then
  application=("$work/train.py")
else
  application=(--class org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver spark-internal -f "$work/train.sql")
fi
# The launcher's command, with Spark's own options for Java, and the class path of the archive. A line precedes it.
{
  read -r
  mapfile -d '' -t command
} < <(SPARK_CONF_DIR=$work/conf "$JAVA_HOME/bin/java" -cp "$class_path" org.apache.spark.launcher.Main \
  org.apache.spark.deploy.SparkSubmit --properties-file "$work/spark.properties" "${application[@]}")
wait $!
for index in "${!command[@]}"; do
  if [[ ${command[index]} == -cp ]]; then command[index + 1]=$class_path; fi
done
cd "$work"
if ! "${command[0]}" "-XX:ArchiveClassesAtExit=$work/spark.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off "${command[@]:1}" > "$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
# Java also succeeds if it lacks the archive of its own classes, on which this one builds.
[[ -s $work/spark.jsa ]] || go_on_without_archive "the Java in $JAVA_HOME wrote none. java -Xshare:dump may help."
chmod 0644 "$work/spark.jsa"
mkdir -p "$target"
# The archive comes last: without it, the others have no effect.
mv "$work/jars" "$work/resources" "$work/options" "$work/spark.jsa" "$target"
