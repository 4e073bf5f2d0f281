package org.example;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** In a jar of the submitting machine. */
public final class Words {
  private Words() {}

  /** What its jar holds, and where that jar is, after a word of the caller. */
  public static String found(String caller) throws IOException {
    try (var resource = Words.class.getResourceAsStream("/in-a-jar.txt")) {
      String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
      return caller + " " + text + " " + Words.class.getProtectionDomain().getCodeSource().getLocation();
    }
  }
}
