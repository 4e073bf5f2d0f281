package org.example;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkFiles;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Application in a local jar that needs another jar, a file and an archive. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    System.out.println("driver " + arguments[0] + " " + words("conf.json", "renamed.txt"));
    List<String> found =
        context
            .parallelize(List.of(1, 2), 2)
            .map(number -> words(SparkFiles.get("conf.json"), SparkFiles.get("renamed.txt")))
            .distinct()
            .collect();
    System.out.println("executors " + found);
    System.out.println(Words.found("jar-of-driver"));
    for (String line :
        context.parallelize(List.of("jar-of-executors"), 1).map(Words::found).collect()) {
      System.out.println(line);
    }
    spark.stop();
  }

  private static String words(String conf, String named) throws Exception {
    return String.join(
        " ",
        Files.readString(Path.of(conf)),
        Files.readString(Path.of(named)),
        Files.readString(Path.of("env/word.txt")),
        Files.readString(Path.of("plain.zip/word.txt")));
  }
}
