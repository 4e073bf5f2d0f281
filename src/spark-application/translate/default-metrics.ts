/** Switches on Spark's JMX sink for all instances, and metrics of the JVMs of driver and executors. */
export const defaultMetricsProperties = `*.sink.jmx.class=org.apache.spark.metrics.sink.JmxSink
driver.source.jvm.class=org.apache.spark.metrics.source.JvmSource
executor.source.jvm.class=org.apache.spark.metrics.source.JvmSource
`;

/**
 * Rules of the JMX exporter, by the form of Spark's metric names: `NAMESPACE.APP.APP_ID.driver.COMPONENT.METRIC`, and with a number in place of
 * `driver` for executors.
 */
export const defaultExporterConfig = `lowercaseOutputName: true
attrNameSnakeCase: true
rules:
  - pattern: 'metrics<name=([^.<>,]+)\\.([^.<>,]+)\\.([^.<>,]+)\\.driver\\.spark\\.streaming\\.([^<>,]+?)\\.([^.<>,]+), type=\\w+><>(Value|Count)'
    name: spark_streaming_driver_$5
    labels:
      app_namespace: "$1"
      app_id: "$3"
      query_name: "$4"
  - pattern: 'metrics<name=([^.<>,]+)\\.([^.<>,]+)\\.([^.<>,]+)\\.driver\\.([^<>,]+), type=\\w+><>(Value|Count|Mean|Max)'
    name: spark_driver_$4_$5
    labels:
      app_namespace: "$1"
      app_id: "$3"
  - pattern: 'metrics<name=([^.<>,]+)\\.([^.<>,]+)\\.([^.<>,]+)\\.(\\d+)\\.([^<>,]+), type=\\w+><>(Value|Count|Mean|Max)'
    name: spark_executor_$5_$6
    labels:
      app_namespace: "$1"
      app_id: "$3"
      executor_id: "$4"
`;
