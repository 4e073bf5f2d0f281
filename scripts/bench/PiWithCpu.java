import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/** Computes Pi in slices, then prints the processor time that the containers of the driver and the executors have used so far. */
public final class PiWithCpu {
  private PiWithCpu() {}

  public static void main(String[] args) throws IOException {
    int slices = Integer.parseInt(args[0]);
    int steps = Integer.parseInt(args[1]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
      var numbers = IntStream.range(0, slices).boxed().collect(Collectors.toList());
      double area =
          context.parallelize(numbers, slices).map(part -> areaOf(part, steps, slices)).reduce(Double::sum);
      System.out.println("Pi is roughly " + 4 * area);
      // An executor reports several times, if it runs several tasks. The last report counts.
      Map<String, Double> used =
          context
              .parallelize(numbers, slices)
              .mapToPair(part -> new Tuple2<>(SparkEnv.get().executorId(), containerCpuSeconds()))
              .reduceByKey(Math::max)
              .collectAsMap();
      double executors = used.values().stream().mapToDouble(Double::doubleValue).sum();
      System.out.printf(
          "Processor time: %.2f s, %d executors%n", containerCpuSeconds() + executors, used.size());
    }
  }

  private static double areaOf(int part, int steps, int slices) {
    double count = (double) steps * slices;
    double area = 0;
    for (long step = (long) part * steps; step < (part + 1L) * steps; step++) {
      double x = (step + 0.5) / count;
      area += Math.sqrt(1 - x * x) / count;
    }
    return area;
  }

  private static double containerCpuSeconds() {
    try {
      return Long.parseLong(Files.readString(Path.of("/sys/fs/cgroup/cpuacct/cpuacct.usage")).trim()) / 1e9;
    } catch (NoSuchFileException error) {
      return cpuSecondsOfVersion2();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static double cpuSecondsOfVersion2() {
    try (var lines = Files.lines(Path.of("/sys/fs/cgroup/cpu.stat"))) {
      String usage = lines.filter(line -> line.startsWith("usage_usec ")).findFirst().orElseThrow();
      return Long.parseLong(usage.split(" ")[1]) / 1e6;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
