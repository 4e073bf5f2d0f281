/** Key of `pysparkPythonVersion`, whose texts few submissions load. */
export const pythonVersionKey = "spark.kubernetes.pyspark.pythonVersion";
