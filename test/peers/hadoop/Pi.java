import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Estimates Pi, prints its container's files and settings, and then ends as the first argument says: `fail`, `exit`, `wait`, else normally. */
public class Pi {
  public static void main(String[] args) throws Exception {
    System.out.println("words " + Arrays.asList(args));
    System.out.println("option " + System.getProperty("firesteel.option"));
    System.out.println("variable " + System.getenv("FIRESTEEL_VARIABLE"));
    for (String name : new String[] {"table.txt", "env/in.txt"}) {
      Path path = Path.of(name);
      if (Files.exists(path)) System.out.println(name + " " + Files.readString(path).trim());
    }
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      List<Integer> throwsOfDarts = Collections.nCopies(100_000, 1);
      long hits =
          spark
              .parallelize(throwsOfDarts, 2)
              .filter(one -> Math.hypot(Math.random(), Math.random()) <= 1)
              .count();
      System.out.println("Pi is roughly " + 4.0 * hits / throwsOfDarts.size());
      if (args.length > 0 && args[0].equals("wait")) {
        while (!new File("never").exists()) Thread.sleep(100);
      }
    }
    if (args.length > 0 && args[0].equals("exit")) System.exit(7);
    if (args.length > 0 && args[0].equals("fail")) throw new IllegalStateException("as requested");
  }
}
