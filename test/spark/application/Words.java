package org.example;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Class in another local jar. */
public final class Words {
  private Words() {}

  /** Returns the prefix, its jar's resource, and the jar's location. */
  public static String found(String caller) throws IOException {
    try (var resource = Words.class.getResourceAsStream("/in-a-jar.txt")) {
      String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
      return caller + " " + text + " " + Words.class.getProtectionDomain().getCodeSource().getLocation();
    }
  }
}
