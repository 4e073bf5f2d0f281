import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.yarn.client.cli.RMAdminCLI;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * HDFS and YARN with one worker each, on free loopback ports. It ends when stdin closes, that is, with the test.
 *
 * Arguments: a directory for its data, whose `etc` is on the class path, then properties NAME=VALUE. Writes core-site.xml, hdfs-site.xml and
 * yarn-site.xml to `conf` in the directory, then prints `ready`. With `yarn.resourcemanager.ha.enabled`, two ResourceManagers run in processes
 * of their own, because their web servers share static state; the first one is active.
 *
 * With `firesteel.name-nodes=2`, the default file system is a nameservice of two NameNodes, of which the second one is active.
 *
 * Each line of stdin is a command, after which it prints `done`: `active NUMBER` or `kill NUMBER` for one of two ResourceManagers,
 * `standby NUMBER` or `serve NUMBER` for one of two NameNodes, `safemode on|off`, `quota PATH BYTES`.
 */
public class MiniHadoop {
  /** Settings that clients need, with all names of the ResourceManagers. */
  private static final String CLIENT_KEYS =
      "fs\\.defaultFS|dfs\\.http\\.policy|dfs\\.namenode\\.(https?|rpc)-address(\\.minidfs-ns\\.nn\\d)?|yarn\\.http\\.policy"
          + "|hadoop\\.security\\.authentication|dfs\\.(namenode|datanode)\\.kerberos\\.principal|dfs\\.data\\.transfer\\.protection"
          + "|dfs\\.nameservices|dfs\\.ha\\.namenodes\\..*|dfs\\.client\\.failover\\.proxy\\.provider\\..*"
          + "|ignore\\.secure\\.ports\\.for\\.testing|yarn\\.(resourcemanager|nodemanager)\\.principal"
          + "|yarn\\.resourcemanager\\.((scheduler\\.|resource-tracker\\.|webapp\\.(https\\.)?)?address|hostname|ha\\..*)(\\.rm\\d)?";

  public static void main(String[] args) {
    try {
      run(args);
    } catch (Throwable error) {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  /** Kills containers, which have their own sessions and would outlive this process. */
  private static void endContainers() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  private static void run(String[] args) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(MiniHadoop::endContainers));
    File directory = new File(args[0]);
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("yarn.nodemanager.resource.memory-mb", "4096");
    conf.set("yarn.nodemanager.resource.cpu-vcores", "4");
    conf.set("yarn.scheduler.minimum-allocation-mb", "64");
    conf.set("yarn.nodemanager.vmem-check-enabled", "false");
    conf.set("yarn.nodemanager.pmem-check-enabled", "false");
    conf.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.5");
    conf.set("yarn.nodemanager.sleep-delay-before-sigkill.ms", "2000");
    conf.set("yarn.client.failover-sleep-base-ms", "200");
    conf.set("yarn.client.failover-sleep-max-ms", "500");
    conf.set("yarn.minicluster.fixed.ports", "true");
    conf.set("dfs.namenode.fs-limits.min-block-size", "1024");
    for (int index = 1; index < args.length; index++) {
      String[] parts = args[index].split("=", 2);
      conf.set(parts[0], parts[1]);
    }
    writeQueues(new File(directory, "etc/capacity-scheduler.xml"));
    System.setProperty("test.build.data", new File(directory, "data").getPath());
    boolean hasTwoNameNodes = conf.getInt("firesteel.name-nodes", 1) == 2;
    MiniDFSCluster.Builder builder =
        new MiniDFSCluster.Builder(conf, new File(directory, "hdfs")).numDataNodes(1);
    if (hasTwoNameNodes) builder.nnTopology(MiniDFSNNTopology.simpleHATopology());
    MiniDFSCluster hdfs = builder.build();
    int active = hasTwoNameNodes ? 1 : 0;
    if (hasTwoNameNodes) hdfs.transitionToActive(active);
    hdfs.waitActive(active);
    if (hasTwoNameNodes) nameBoth(hdfs, conf, new File(directory, "etc/hdfs-site.xml"));
    else conf.set("fs.defaultFS", hdfs.getURI().toString());
    DistributedFileSystem fileSystem = hdfs.getFileSystem(active);
    fileSystem.mkdirs(new org.apache.hadoop.fs.Path("/user"),
        new org.apache.hadoop.fs.permission.FsPermission((short) 0777));
    fileSystem.setPermission(new org.apache.hadoop.fs.Path("/user"),
        new org.apache.hadoop.fs.permission.FsPermission((short) 0777));
    boolean isHighlyAvailable = conf.getBoolean(YarnConfiguration.RM_HA_ENABLED, false);
    fixPorts(conf, isHighlyAvailable);
    Yarn yarn = isHighlyAvailable ? new TwoManagers(conf, directory) : new OneManager(conf);
    writeClientConf(new File(directory, "conf"), yarn.conf(), hdfs.getConfiguration(0));
    System.out.println("ready");
    System.out.flush();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      execute(line.split(" "), yarn, hdfs, fileSystem);
      System.out.println("done");
      System.out.flush();
    }
    endContainers();
    Runtime.getRuntime().halt(0);
  }

  /** Sets the addresses of a nameservice, for clients and YARN. NodeManagers download files with the settings of the class path. */
  private static void nameBoth(MiniDFSCluster hdfs, Configuration conf, File site) throws Exception {
    String service = "minidfs-ns";
    Configuration own = new Configuration(false);
    for (Configuration target : new Configuration[] {own, conf, hdfs.getConfiguration(0)}) {
      target.set("fs.defaultFS", "hdfs://" + service);
      target.set("dfs.nameservices", service);
      target.set("dfs.ha.namenodes." + service, "nn1,nn2");
      target.set("dfs.client.failover.proxy.provider." + service,
          "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
      for (int number = 0; number < 2; number++) {
        String suffix = "." + service + ".nn" + (number + 1);
        int web = hdfs.getNameNode(number).getHttpAddress().getPort();
        target.set("dfs.namenode.rpc-address" + suffix, "localhost:" + hdfs.getNameNodePort(number));
        target.set("dfs.namenode.http-address" + suffix, "localhost:" + web);
      }
    }
    try (OutputStream out = new FileOutputStream(site)) {
      own.writeXml(out);
    }
  }

  /** Sets fixed ports, so that a standby or restarted server is at its configured address. */
  private static void fixPorts(Configuration conf, boolean isHighlyAvailable) throws Exception {
    String host = MiniYARNCluster.getHostname();
    for (String member : new String[] {"", ".localizer", ".webapp", ".webapp.https", ".collector-service"})
      conf.set("yarn.nodemanager" + member + ".address", host + ":0");
    String[] suffixes = isHighlyAvailable ? new String[] {".rm0", ".rm1"} : new String[] {""};
    String[] members = {"", ".scheduler", ".resource-tracker", ".admin", ".webapp", ".webapp.https"};
    ServerSocket[] held = new ServerSocket[suffixes.length * members.length];
    int index = 0;
    for (String suffix : suffixes)
      for (String member : members) {
        held[index] = new ServerSocket(0);
        conf.set("yarn.resourcemanager" + member + ".address" + suffix, host + ":" + held[index++].getLocalPort());
      }
    for (ServerSocket socket : held) socket.close();
  }

  private interface Yarn {
    Configuration conf();

    void execute(String[] args) throws Exception;
  }

  private static class OneManager implements Yarn {
    private final MiniYARNCluster cluster = new MiniYARNCluster("firesteel", 1, 1, 1);

    OneManager(Configuration conf) throws Exception {
      cluster.init(conf);
      cluster.start();
      if (!cluster.waitForNodeManagersToConnect(120_000)) throw new IllegalStateException("no NodeManager");
    }

    @Override
    public Configuration conf() {
      return cluster.getConfig();
    }

    @Override
    public void execute(String[] args) throws Exception {
      throw new IllegalArgumentException(args[0]);
    }
  }

  private static class TwoManagers implements Yarn {
    private final Configuration conf;
    private final List<Process> managers = new ArrayList<>();

    TwoManagers(Configuration conf, File directory) throws Exception {
      this.conf = conf;
      conf.set("yarn.resourcemanager.ha.rm-ids", "rm0,rm1");
      conf.set("yarn.resourcemanager.cluster-id", "firesteel");
      conf.setBoolean("yarn.resourcemanager.ha.automatic-failover.enabled", false);
      conf.setBoolean("yarn.resourcemanager.recovery.enabled", true);
      conf.set("yarn.resourcemanager.store.class",
          "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore");
      conf.set("yarn.resourcemanager.fs.state-store.uri", new File(directory, "state").toURI().toString());
      conf.set("yarn.nodemanager.local-dirs", new File(directory, "node-localDir").getPath());
      conf.set("yarn.nodemanager.log-dirs", new File(directory, "node-logDir-0").getPath());
      try (OutputStream out = new FileOutputStream(new File(directory, "etc/yarn-site.xml"))) {
        conf.writeXml(out);
      }
      for (int number = 0; number < 2; number++) managers.add(start(number, directory));
      execute(new String[] {"active", "0"});
      NodeManager node = new NodeManager();
      node.init(conf);
      node.start();
    }

    private static Process start(int number, File directory) throws Exception {
      String realm = System.getProperty("java.security.krb5.conf");
      List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
      if (realm != null) command.add("-Djava.security.krb5.conf=" + realm);
      command.addAll(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"),
          ResourceManager.class.getName(), "-Dyarn.resourcemanager.ha.id=rm" + number));
      return new ProcessBuilder(command)
          .directory(directory)
          .redirectOutput(new File(directory, "manager-" + number + ".out"))
          .redirectError(new File(directory, "manager-" + number + ".err"))
          .start();
    }

    @Override
    public Configuration conf() {
      return conf;
    }

    @Override
    public void execute(String[] args) throws Exception {
      int number = Integer.parseInt(args[1]);
      switch (args[0]) {
        case "kill" -> managers.get(number).destroyForcibly().waitFor();
        case "active" -> {
          if (managers.get(1 - number).isAlive()) change("-transitionToStandby", "rm" + (1 - number));
          change("-transitionToActive", "--forceactive", "rm" + number);
        }
        default -> throw new IllegalArgumentException(args[0]);
      }
    }

    private void change(String... args) throws Exception {
      while (new RMAdminCLI(conf).run(args) != 0) Thread.sleep(500);
    }
  }

  private static void execute(String[] args, Yarn yarn, MiniDFSCluster hdfs, DistributedFileSystem fileSystem)
      throws Exception {
    switch (args[0]) {
      case "standby" -> hdfs.transitionToStandby(Integer.parseInt(args[1]));
      case "serve" -> hdfs.transitionToActive(Integer.parseInt(args[1]));
      case "safemode" -> fileSystem.setSafeMode(
          args[1].equals("on")
              ? HdfsConstants.SafeModeAction.SAFEMODE_ENTER
              : HdfsConstants.SafeModeAction.SAFEMODE_LEAVE);
      case "quota" -> fileSystem.setQuota(
          new org.apache.hadoop.fs.Path(args[1]), HdfsConstants.QUOTA_DONT_SET, Long.parseLong(args[2]));
      default -> yarn.execute(args);
    }
  }

  /** Writes the queues, which each ResourceManager reads when it becomes active. */
  private static void writeQueues(File file) throws Exception {
    Configuration queues = new Configuration(false);
    String root = "yarn.scheduler.capacity.root.";
    queues.set(root + "queues", "default,night");
    queues.set(root + "default.capacity", "90");
    queues.set(root + "night.capacity", "10");
    queues.set(root + "night.maximum-capacity", "100");
    // One user can use the whole queue.
    queues.set(root + "night.user-limit-factor", "10");
    queues.set(root + "default.user-limit-factor", "10");
    queues.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
    try (OutputStream out = new FileOutputStream(file)) {
      queues.writeXml(out);
    }
  }

  private static void writeClientConf(File directory, Configuration yarn, Configuration hdfs)
      throws Exception {
    Files.createDirectories(directory.toPath());
    Configuration client = new Configuration(false);
    for (Configuration source : new Configuration[] {yarn, hdfs})
      for (Map.Entry<String, String> entry : source)
        if (entry.getKey().matches(CLIENT_KEYS) && source.get(entry.getKey()) != null
            && entry.getKey().startsWith("dfs.") == (source == hdfs))
          client.set(entry.getKey(), source.get(entry.getKey()));
    for (String name : new String[] {"core-site.xml", "hdfs-site.xml", "yarn-site.xml"}) {
      Path written = directory.toPath().resolve(name + ".new");
      try (OutputStream out = new FileOutputStream(written.toFile())) {
        client.writeXml(out);
      }
      Files.move(written, directory.toPath().resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
