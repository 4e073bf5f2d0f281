package org.apache.spark.examples;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/** Groups pairs by key, which shuffles them; the name and the arguments are those of Spark's example. */
public final class GroupByTest {
  private GroupByTest() {}

  public static void main(String[] args) throws Exception {
    int mappers = Integer.parseInt(args[0]);
    int pairs = Integer.parseInt(args[1]);
    int bytes = Integer.parseInt(args[2]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      List<Integer> numbers = IntStream.range(0, mappers).boxed().collect(Collectors.toList());
      long groups =
          new JavaSparkContext(spark.sparkContext())
              .parallelize(numbers, mappers)
              .flatMapToPair(
                  mapper ->
                      IntStream.range(0, pairs)
                          .mapToObj(pair -> new Tuple2<>(pair, new byte[bytes]))
                          .iterator())
              .groupByKey(mappers)
              .count();
      System.out.println(groups + " groups");
    }
  }
}
