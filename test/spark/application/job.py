"""A script of the submitting machine, which needs modules, files, archives and a jar."""

import sys

import helper
import zipped
from pyspark import SparkFiles
from pyspark.sql import SparkSession


def words(conf, named):
    import helper
    import zipped

    texts = [open(path).read() for path in (conf, named, "env/word.txt", "plain.zip/word.txt")]
    return " ".join([zipped.word, helper.word, *texts])


spark = SparkSession.builder.getOrCreate()
print("script", sys.argv[0])
print("driver", sys.argv[1], words("conf.json", "renamed.txt"))
found = spark.sparkContext.parallelize(range(2), 2).map(
    lambda _: words(SparkFiles.get("conf.json"), SparkFiles.get("renamed.txt"))
)
print("executors", found.distinct().collect())
print(spark._jvm.org.example.Words.found("jar-of-driver"))
call = "java_method('org.example.Words', 'found', concat('jar-of-executors', substr(id, 2))) AS line"
for row in spark.range(0, 2, 1, 2).selectExpr(call).distinct().collect():
    print(row.line)
spark.stop()
