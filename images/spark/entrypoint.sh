#!/usr/bin/env bash
set -e

# Java needs a user with a name.
uid=$(id -u)
if ! getent passwd "$uid" > /dev/null; then
  if [[ -w /etc/passwd ]]; then
    printf '%s:x:%s:%s:%s:%s:/bin/false\n' "$uid" "$uid" "$(id -g)" "${SPARK_USER_NAME:-anonymous uid}" "$SPARK_HOME" >> /etc/passwd
  else
    echo "/etc/passwd has no user $uid and cannot be written" >&2
  fi
fi

if [[ -z "$JAVA_HOME" ]]; then
  java=$(readlink -f "$(command -v java)")
  export JAVA_HOME=${java%/bin/java}
fi

for name in PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON; do
  [[ -z "${!name}" ]] || export "${name?}"
done

# For the driver and the executor; Spark's own programs read it, too.
if [[ -n "$HADOOP_HOME" && -z "$SPARK_DIST_CLASSPATH" ]]; then
  SPARK_DIST_CLASSPATH=$("$HADOOP_HOME/bin/hadoop" classpath) || true
  export SPARK_DIST_CLASSPATH
fi

classpath="${SPARK_CONF_DIR:-$SPARK_HOME/conf}"
classpath+="${HADOOP_CONF_DIR:+:$HADOOP_CONF_DIR}"
classpath+="${SPARK_CLASSPATH:+:$SPARK_CLASSPATH}:$SPARK_HOME/jars/*"
classpath+="${SPARK_EXTRA_CLASSPATH:+:$SPARK_EXTRA_CLASSPATH}:$PWD${SPARK_DIST_CLASSPATH:+:$SPARK_DIST_CLASSPATH}"

# Starts Java with the class data archive of this Spark, if there is one.
share_classes() {
  if [[ "$FIRESTEEL_CLASS_SHARING" != off && -r /opt/class-sharing/spark.jsa ]]; then
    export CLASS_SHARING_JAVA_HOME=$JAVA_HOME JAVA_HOME=/opt/class-sharing
  fi
}

case "$1" in
  driver)
    shift
    share_classes
    set -- "$SPARK_HOME/bin/spark-submit" \
      --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS" \
      --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS" \
      --deploy-mode client "$@"
    ;;
  executor)
    shift
    share_classes
    # One option each, in the order of their numbers, which may have gaps.
    options=()
    for name in $(printf '%s\n' "${!SPARK_JAVA_OPT_@}" | sort -t_ -k4 -n); do
      options+=("${!name}")
    done
    set -- "$JAVA_HOME/bin/java" "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
      -cp "$classpath" org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
      --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
      --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
      --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME"
    ;;
esac
exec /usr/bin/tini -s -- "$@"
