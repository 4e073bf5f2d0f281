import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Drivers of the tests: the first argument selects the behavior. */
public class Drivers {
  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "pi" -> pi();
      case "fail" -> throw new IllegalStateException("as requested");
      case "sleep" -> Thread.sleep(Long.MAX_VALUE);
      case "secondTime" -> failOnce(Path.of(args[1]));
      default -> System.exit(0);
    }
  }

  private static void pi() {
    try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
      List<Integer> numbers = IntStream.range(0, 100_000).boxed().toList();
      long count = context.parallelize(numbers, 4).filter(number -> inCircle(number)).count();
      if (count < 70_000 || count > 85_000) throw new IllegalStateException("Pi is not " + count * 4.0 / 100_000);
    }
  }

  private static boolean inCircle(int number) {
    double x = (number % 317) / 317.0;
    double y = number / 317 / 316.0;
    return x * x + y * y <= 1;
  }

  private static void failOnce(Path mark) throws Exception {
    if (Files.exists(mark)) return;
    Files.createFile(mark);
    throw new IllegalStateException("the first time");
  }
}
