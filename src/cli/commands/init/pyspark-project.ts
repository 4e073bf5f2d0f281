/** Command that runs the project, in its directory. */
export const runCommandLine = "spark-submit --properties-file job.conf job.py";

const job = `"""Adds up the sales of each product."""

import csv
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, sum as total
from tabulate import tabulate


def sales_by_product(sales):
    """Returns the total of each product, the largest first."""
    return sales.groupBy("product").agg(total("amount").alias("total")).orderBy(col("total").desc())


def main(name):
    spark = SparkSession.builder.getOrCreate()
    with open(SparkFiles.get(name), encoding="utf-8", newline="") as file:
        rows = [(row["product"], int(row["amount"])) for row in csv.DictReader(file)]
    totals = sales_by_product(spark.createDataFrame(rows, "product string, amount int"))
    print(tabulate(totals.collect(), headers=totals.columns))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "sales.csv")
`;

const conf = `# Settings of the job: spark-submit --properties-file job.conf job.py
spark.master                 k8s://embedded
spark.submit.deployMode      cluster
spark.app.name               sales
spark.executor.instances     1

# The file that the job reads, which driver and executors get.
spark.files                  sales.csv

# The Python packages of driver and executors.
spark.firesteel.pythonEnv    requirements.txt

# The driver's output.
spark.firesteel.logs         driver
`;

const readme = `# A PySpark job

\`\`\`
${runCommandLine}
\`\`\`

runs \`job.py\` on the embedded cluster of Firesteel, with a driver and an executor, and prints the total of each product in \`sales.csv\`.

| file | content |
| --- | --- |
| \`job.py\` | the job |
| \`requirements.txt\` | its Python packages: the first run builds an environment, later ones use it again |
| \`job.conf\` | its settings |
| \`sales.csv\` | its input |

## Next

- To keep a cluster between runs, start it: \`firesteel cluster start\`.
- To read and write a directory of this machine, add \`--mount data:/data\`, and use paths below \`/data\` in the job.
- To use a Spark package, add \`--packages GROUP:ARTIFACT:VERSION\`, and lock it with \`firesteel packages lock GROUP:ARTIFACT:VERSION\`.
- To run on another cluster, change \`spark.master\`, and set \`spark.kubernetes.container.image\` and \`spark.firesteel.pythonEnv.version\`, the release of
  Python in the image. \`firesteel doctor --properties-file job.conf job.py\` checks the rest.
`;

const input = `product,amount
apples,3
pears,2
apples,4
plums,1
`;

/** Files of a new PySpark project, by name. */
export const pysparkProject: Readonly<Record<string, string>> = {
  "README.md": readme,
  "job.py": job,
  "requirements.txt": "tabulate==0.9.0\n",
  "job.conf": conf,
  "sales.csv": input,
  ".gitignore": "__pycache__/\n.venv/\n",
};
