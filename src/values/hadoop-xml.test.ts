import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHadoopXml, printHadoopXml } from "./hadoop-xml.ts";

test("parses properties in elements and in attributes, with literal text, entities and comments", () => {
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

test("parses included files in their order, optional if they have a fallback", () => {
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

test("rejects invalid configurations with the line", () => {
  expect(parseHadoopXml("<configuration>\n<property></configuration>")).toEqual({
    ok: false,
    reason: "line 2: </configuration> has no start tag",
  });
  expect(parseHadoopXml("<configuration>\n<\n")).toEqual({
    ok: false,
    reason: "line 2: this is not valid XML",
  });
  expect(parseHadoopXml("<configuration>")).toEqual({ ok: false, reason: "<configuration> is not closed" });
  expect(parseHadoopXml("<html></html>")).toEqual({ ok: false, reason: "it has no <configuration>" });
  expect(parseHadoopXml("")).toEqual({ ok: false, reason: "it has no <configuration>" });
});

test("parses printed configurations", { tags: "long" }, () => {
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

test("parses any text quickly", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("<", "<!--", "<a ", 'b="', "<![CDATA[", "]", ">", "x")), (parts) => {
      expect(typeof parseHadoopXml(parts.join("")).ok).toBe("boolean");
    }),
  );
});
