import { useEffect, useState } from "preact/hooks";
import type { QueuesJson } from "./api.ts";
import { formatMemory, oneDigit } from "./format.ts";
import { Empty, ErrorNote, Title } from "./parts.tsx";
import { Plot } from "./plot.tsx";
import { plotOf } from "./queue-plots.ts";
import { useResource } from "./use-resource.ts";

const refreshMs = 10_000;

/** Steps of the plots of numbers: 1, 2, 5, 10 and so on. */
const integerSteps = [1, 10, 100, 1000, 10_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]);
/** Steps of the plot of memory: powers of two, from 64 MiB on. */
const memorySteps = Array.from({ length: 20 }, (_, power) => 2 ** (power + 6));

/** The queues now, and their use in the last hours. */
export function QueuesView() {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setRound((before) => before + 1), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const { value, error } = useResource<QueuesJson>("queues", round);
  return (
    <>
      <Title>Queues</Title>
      <ErrorNote text={error} />
      {value === undefined ? <Empty>Reading the queues.</Empty> : <Queues queues={value} />}
    </>
  );
}

function Queues({ queues }: { readonly queues: QueuesJson }) {
  const { samples } = queues;
  return (
    <>
      <QueueTable queues={queues.queues} />
      <div class="plots">
        <Plot
          title="Running applications"
          data={plotOf(samples, ({ running }) => running)}
          format={String}
          steps={integerSteps}
        />
        <Plot
          title="Waiting applications"
          data={plotOf(samples, ({ waiting }) => waiting)}
          format={String}
          steps={integerSteps}
        />
        <Plot title="Cores in use" data={plotOf(samples, ({ cores }) => cores)} format={oneDigit} />
        <Plot
          title="Memory in use"
          data={plotOf(samples, ({ memoryMiB }) => memoryMiB)}
          format={formatMemory}
          steps={memorySteps}
        />
      </div>
    </>
  );
}

function QueueTable({ queues }: { readonly queues: QueuesJson["queues"] }) {
  return (
    <table>
      <caption class="hidden">Queues now</caption>
      <thead>
        <tr>
          <th scope="col">Queue</th>
          <th scope="col" class="number wide">
            Weight
          </th>
          <th scope="col" class="number">
            Running
          </th>
          <th scope="col" class="number">
            Waiting
          </th>
          <th scope="col" class="number">
            Cores
          </th>
          <th scope="col" class="number">
            Memory
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map(({ name, weight, running, waiting, cores, memoryMiB, limits, scheduler }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {scheduler !== undefined && (
                <span class="detail">{`${schedulerNames[scheduler.kind]}: ${scheduler.queue}`}</span>
              )}
            </th>
            <td class="number wide">{weight}</td>
            <td class="number">{ofLimit(running, limits.maxRunning, String)}</td>
            <td class="number">{waiting}</td>
            <td class="number">{ofLimit(cores, limits.maxCores, oneDigit)}</td>
            <td class="number">{ofLimit(memoryMiB, limits.maxMemoryMiB, formatMemory)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const schedulerNames = { kueue: "Kueue", volcano: "Volcano", yunikorn: "YuniKorn" } as const;

function ofLimit(value: number, limit: number | undefined, format: (value: number) => string): string {
  return limit === undefined ? format(value) : `${format(value)} of ${format(limit)}`;
}
