import java.io.Serializable;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Estimates Pi by throwing darts at a square, and prints which executors threw them. */
public final class JavaPi {
  private static final int DARTS_PER_SLICE = 2_000_000;

  private record Throw(String place, long hits) implements Serializable {}

  private JavaPi() {}

  public static void main(String[] args) throws Exception {
    int slices = args.length > 0 ? Integer.parseInt(args[0]) : 4;
    try (SparkSession spark = SparkSession.builder().appName("java-pi").getOrCreate()) {
      JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
      List<Integer> numbers = IntStream.range(0, slices).boxed().collect(Collectors.toList());
      List<Throw> all = context.parallelize(numbers, slices).map(number -> throwDarts()).collect();
      long hits = all.stream().mapToLong(Throw::hits).sum();
      all.stream()
          .collect(Collectors.groupingBy(Throw::place, Collectors.counting()))
          .forEach((place, count) -> System.out.println(count + " slices on " + place));
      System.out.println("Pi is roughly " + 4.0 * hits / ((double) DARTS_PER_SLICE * slices));
    }
  }

  private static Throw throwDarts() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long hits = 0;
    for (int dart = 0; dart < DARTS_PER_SLICE; dart++) {
      double x = random.nextDouble();
      double y = random.nextDouble();
      if (x * x + y * y <= 1) hits++;
    }
    return new Throw("executor " + SparkEnv.get().executorId(), hits);
  }
}
