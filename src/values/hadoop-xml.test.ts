import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHadoopXml, printHadoopXml } from "./hadoop-xml.ts";

test("properties stand in elements and in attributes, with literal text, entities and comments", () => {
  const text = `<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!-- <property><name>none</name><value>0</value></property> -->
<configuration>
  <property><name> a </name><value>1 &lt; &#50;</value><final>true</final><description>words &amp; more</description></property>
  <property name="b" value='two "2"'/>
  <property><name>c</name><value><![CDATA[<x>&amp;</x>]]></value></property>
  <property><name>empty</name><value/></property>
  <property><name>nothing</name></property>
</configuration>`;
  expect(parseHadoopXml(text)).toEqual({
    ok: true,
    items: [
      { kind: "property", name: "a", value: "1 < 2", isFinal: true },
      { kind: "property", name: "b", value: 'two "2"', isFinal: false },
      { kind: "property", name: "c", value: "<x>&amp;</x>", isFinal: false },
      { kind: "property", name: "empty", value: "", isFinal: false },
    ],
  });
});

test("files are included where they stand, and may be missing where something else is said for that", () => {
  const text = `<configuration xmlns:xi="http://www.w3.org/2001/XInclude">
<xi:include href="more.xml"/><xi:include href="other.xml"><xi:fallback/></xi:include></configuration>`;
  expect(parseHadoopXml(text)).toEqual({
    ok: true,
    items: [
      { kind: "include", href: "more.xml", isOptional: false },
      { kind: "include", href: "other.xml", isOptional: true },
    ],
  });
});

test("what is no configuration is refused with its place", () => {
  expect(parseHadoopXml("<configuration>\n<property></configuration>")).toEqual({
    ok: false,
    reason: "line 2: </configuration> ends nothing",
  });
  expect(parseHadoopXml("<configuration>\n<\n")).toEqual({ ok: false, reason: "line 2: this is no XML" });
  expect(parseHadoopXml("<configuration>")).toEqual({ ok: false, reason: "<configuration> is not closed" });
  expect(parseHadoopXml("<html></html>")).toEqual({ ok: false, reason: "it has no <configuration>" });
  expect(parseHadoopXml("")).toEqual({ ok: false, reason: "it has no <configuration>" });
});

test("what is written is read again", () => {
  const names = fc.stringMatching(/^[!-~]{1,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.string({ unit: "binary" }))), (entries) => {
      const read = parseHadoopXml(printHadoopXml(entries));
      expect(read).toEqual({
        ok: true,
        items: entries.map(([name, value]) => ({ kind: "property", name, value, isFinal: false })),
      });
    }),
  );
});

test("no text takes long", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("<", "<!--", "<a ", 'b="', "<![CDATA[", "]", ">", "x")), (parts) => {
      expect(typeof parseHadoopXml(parts.join("")).ok).toBe("boolean");
    }),
  );
});
