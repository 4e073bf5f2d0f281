import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * An HDFS and a YARN with one worker each, on free ports of loopback, until stdin ends: so it outlives no test.
 *
 * Arguments: a folder for its data; then properties, NAME=VALUE. It writes core-site.xml, hdfs-site.xml and yarn-site.xml into
 * the folder `conf` there, and then prints `ready`.
 */
public class MiniHadoop {
  private static final String[] CLIENT_KEYS = {
    "fs.defaultFS",
    "dfs.namenode.http-address",
    "dfs.namenode.rpc-address",
    "yarn.resourcemanager.address",
    "yarn.resourcemanager.scheduler.address",
    "yarn.resourcemanager.webapp.address",
    "yarn.resourcemanager.resource-tracker.address",
    "yarn.resourcemanager.hostname",
  };

  public static void main(String[] words) {
    try {
      run(words);
    } catch (Throwable error) {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  /** Containers have sessions of their own, and would outlive us. */
  private static void endContainers() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  private static void run(String[] words) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(MiniHadoop::endContainers));
    File folder = new File(words[0]);
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("yarn.nodemanager.resource.memory-mb", "4096");
    conf.set("yarn.nodemanager.resource.cpu-vcores", "4");
    conf.set("yarn.scheduler.minimum-allocation-mb", "64");
    conf.set("yarn.nodemanager.vmem-check-enabled", "false");
    conf.set("yarn.nodemanager.pmem-check-enabled", "false");
    conf.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.5");
    conf.set("yarn.nodemanager.sleep-delay-before-sigkill.ms", "2000");
    conf.set("yarn.scheduler.capacity.root.queues", "default,night");
    conf.set("yarn.scheduler.capacity.root.default.capacity", "90");
    conf.set("yarn.scheduler.capacity.root.night.capacity", "10");
    conf.set("yarn.scheduler.capacity.root.night.maximum-capacity", "100");
    // One user may have all of it.
    conf.set("yarn.scheduler.capacity.root.night.user-limit-factor", "10");
    conf.set("yarn.scheduler.capacity.root.default.user-limit-factor", "10");
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
    conf.set("yarn.minicluster.fixed.ports", "false");
    conf.set("dfs.namenode.fs-limits.min-block-size", "1024");
    for (int index = 1; index < words.length; index++) {
      String[] parts = words[index].split("=", 2);
      conf.set(parts[0], parts[1]);
    }
    System.setProperty("test.build.data", new File(folder, "data").getPath());
    MiniDFSCluster hdfs =
        new MiniDFSCluster.Builder(conf, new File(folder, "hdfs")).numDataNodes(1).build();
    hdfs.waitActive();
    conf.set("fs.defaultFS", hdfs.getURI().toString());
    hdfs.getFileSystem().mkdirs(new org.apache.hadoop.fs.Path("/user"),
        new org.apache.hadoop.fs.permission.FsPermission((short) 0777));
    hdfs.getFileSystem().setPermission(new org.apache.hadoop.fs.Path("/user"),
        new org.apache.hadoop.fs.permission.FsPermission((short) 0777));
    MiniYARNCluster yarn = new MiniYARNCluster("firesteel", 1, 1, 1);
    yarn.init(conf);
    yarn.start();
    if (!yarn.waitForNodeManagersToConnect(120_000)) throw new IllegalStateException("no NodeManager");
    writeClientConf(new File(folder, "conf"), yarn.getConfig(), hdfs.getConfiguration(0));
    System.out.println("ready");
    System.out.flush();
    while (System.in.read() >= 0) {}
    endContainers();
    Runtime.getRuntime().halt(0);
  }

  private static void writeClientConf(File folder, Configuration yarn, Configuration hdfs)
      throws Exception {
    Files.createDirectories(folder.toPath());
    Configuration client = new Configuration(false);
    for (String key : CLIENT_KEYS) {
      String value = key.startsWith("dfs.") ? hdfs.get(key) : yarn.get(key);
      if (value != null) client.set(key, value);
    }
    for (String name : new String[] {"core-site.xml", "hdfs-site.xml", "yarn-site.xml"}) {
      Path written = folder.toPath().resolve(name + ".new");
      try (OutputStream out = new FileOutputStream(written.toFile())) {
        client.writeXml(out);
      }
      Files.move(written, folder.toPath().resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
