import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.LeaderElectable;
import org.apache.spark.deploy.master.LeaderElectionAgent;
import org.apache.spark.deploy.master.PersistenceEngine;
import org.apache.spark.deploy.master.StandaloneRecoveryModeFactory;
import org.apache.spark.serializer.Serializer;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;

/** Keeps a master from ever leading, as ZooKeeper keeps all but one. */
public class StandsBy extends StandaloneRecoveryModeFactory {
  public StandsBy(SparkConf conf, Serializer serializer) {
    super(conf, serializer);
  }

  @Override
  public PersistenceEngine createPersistenceEngine() {
    return new PersistenceEngine() {
      @Override
      public void persist(String name, Object value) {}

      @Override
      public void unpersist(String name) {}

      @Override
      public <T> Seq<T> read(String prefix, ClassTag<T> tag) {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public LeaderElectionAgent createLeaderElectionAgent(LeaderElectable master) {
    return new LeaderElectionAgent() {
      @Override
      public LeaderElectable masterInstance() {
        return master;
      }

      @Override
      public void stop() {}
    };
  }
}
