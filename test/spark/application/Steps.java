package org.example;

/** Application that follows its arguments: {@code line=TEXT} prints, {@code sleep=SECONDS} waits, {@code exit=CODE} exits. */
public final class Steps {
  private Steps() {}

  public static void main(String[] arguments) throws InterruptedException {
    for (String argument : arguments) {
      String value = argument.substring(argument.indexOf('=') + 1);
      if (argument.startsWith("line=")) System.out.println(value);
      else if (argument.startsWith("sleep=")) Thread.sleep(1000L * Long.parseLong(value));
      else if (argument.startsWith("exit=")) System.exit(Integer.parseInt(value));
      else throw new IllegalArgumentException(argument);
    }
  }
}
