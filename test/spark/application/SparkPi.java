package org.apache.spark.examples;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Adds the areas of the slices below a quarter of a circle; the name is that of Spark's example. */
public final class SparkPi {
  private static final int STEPS = 1_000;

  private SparkPi() {}

  public static void main(String[] args) throws Exception {
    int slices = args.length > 0 ? Integer.parseInt(args[0]) : 2;
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      List<Integer> numbers = IntStream.range(0, slices).boxed().collect(Collectors.toList());
      double width = 1.0 / slices / STEPS;
      double area =
          new JavaSparkContext(spark.sparkContext())
              .parallelize(numbers, slices)
              .map(slice -> areaOf(slice * STEPS, width))
              .reduce(Double::sum);
      System.out.println("Pi is roughly " + 4 * area);
    }
  }

  private static double areaOf(int first, double width) {
    return IntStream.range(first, first + STEPS)
        .mapToDouble(step -> Math.sqrt(1 - Math.pow((step + 0.5) * width, 2)) * width)
        .sum();
  }
}
