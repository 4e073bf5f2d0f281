import { expect, test } from "vitest";
import { plotOf } from "./queue-plots.ts";

test("builds a series for each queue, with gaps before it existed", () => {
  const use = { running: 1, waiting: 0, cores: 2, memoryMiB: 1024 };
  const samples = [
    { time: "1970-01-01T00:00:01Z", queues: [{ queue: "b", ...use }] },
    {
      time: "1970-01-01T00:00:02Z",
      queues: [
        { queue: "b", ...use, cores: 4 },
        { queue: "a", ...use },
      ],
    },
  ];
  expect(plotOf(samples, ({ cores }) => cores)).toEqual({
    times: [1, 2],
    series: [
      { name: "a", values: [null, 2] },
      { name: "b", values: [2, 4] },
    ],
  });
});
