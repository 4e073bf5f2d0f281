#!/usr/bin/env bash
set -e

# Java needs a user with a name.
if ! getent passwd "$(id -u)" > /dev/null && [[ -w /etc/passwd ]]; then
  printf 'spark:x:%s:%s:Spark:%s:/bin/false\n' "$(id -u)" "$(id -g)" "$SPARK_HOME" >> /etc/passwd
fi

if [[ -z "$JAVA_HOME" ]]; then
  java=$(readlink -f "$(command -v java)")
  export JAVA_HOME=${java%/bin/java}
fi

for name in PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON; do
  [[ -z "${!name}" ]] || export "${name?}"
done

classpath="${SPARK_CONF_DIR:-$SPARK_HOME/conf}"
classpath+="${HADOOP_CONF_DIR:+:$HADOOP_CONF_DIR}"
classpath+="${SPARK_CLASSPATH:+:$SPARK_CLASSPATH}:$SPARK_HOME/jars/*"
classpath+="${SPARK_EXTRA_CLASSPATH:+:$SPARK_EXTRA_CLASSPATH}${SPARK_DIST_CLASSPATH:+:$SPARK_DIST_CLASSPATH}:$PWD"

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
    # One option each, in the order of their numbers.
    options=()
    for ((number = 0; ; number++)); do
      name=SPARK_JAVA_OPT_$number
      [[ -n "${!name+set}" ]] || break
      options+=("${!name}")
    done
    set -- "$JAVA_HOME/bin/java" "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
      -cp "$classpath" org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
      --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
      --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
      --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME" "$@"
    ;;
  *)
    exec "$@"
    ;;
esac
exec /usr/bin/tini -s -- "$@"
