/** Command that runs the project, in its directory. */
export const runCommandLine = "spark-submit --properties-file job.conf job.py";

const job = `"""Counts the words of a text file."""

import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, explode, lower, split
from tabulate import tabulate


def count_words(lines):
    """Returns how often each word occurs, the most frequent first."""
    words = lines.select(explode(split(lower(col("value")), "[^a-z]+")).alias("word")).where("word != ''")
    return words.groupBy("word").count().orderBy(col("count").desc(), "word")


def main(name):
    spark = SparkSession.builder.getOrCreate()
    with open(SparkFiles.get(name), encoding="utf-8") as file:
        lines = spark.createDataFrame([(line,) for line in file], "value string")
    counts = count_words(lines).limit(5)
    print(tabulate(counts.collect(), headers=counts.columns))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "words.txt")
`;

const conf = `# Settings of the job: spark-submit --properties-file job.conf job.py
spark.master                 k8s://embedded
spark.submit.deployMode      cluster
spark.app.name               word-count
spark.executor.instances     1

# The file that the job reads, which driver and executors get.
spark.files                  words.txt

# The Python packages of driver and executors.
spark.firesteel.pythonEnv    requirements.txt

# The driver's output.
spark.firesteel.logs         driver
`;

const readme = `# A PySpark job

\`\`\`
${runCommandLine}
\`\`\`

runs \`job.py\` on the embedded cluster of Firesteel, with a driver and an executor, and prints the five most frequent words of \`words.txt\`.

| file | content |
| --- | --- |
| \`job.py\` | the job |
| \`requirements.txt\` | its Python packages: the first run builds an environment, later ones use it again |
| \`job.conf\` | its settings |
| \`words.txt\` | its input |

## Next

- To keep a cluster between runs, start it: \`firesteel cluster start\`.
- To read and write a directory of this machine, add \`--mount data:/data\`, and use paths below \`/data\` in the job.
- To use a Spark package, add \`--packages GROUP:ARTIFACT:VERSION\`, and lock it with \`firesteel packages lock GROUP:ARTIFACT:VERSION\`.
- To run on another cluster, change \`spark.master\`, and set \`spark.kubernetes.container.image\` and \`spark.firesteel.pythonEnv.version\`, the release of
  Python in the image. \`firesteel doctor --properties-file job.conf job.py\` checks the rest.
`;

const input = `The driver asks the cluster for executors,
the executors ask the driver for tasks,
and the tasks do the work.
`;

/** Files of a new PySpark project, by name. */
export const pysparkProject: Readonly<Record<string, string>> = {
  "README.md": readme,
  "job.py": job,
  "requirements.txt": "tabulate==0.9.0\n",
  "job.conf": conf,
  "words.txt": input,
  ".gitignore": "__pycache__/\n.venv/\n",
};
