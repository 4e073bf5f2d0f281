import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import type { PlotData } from "./queue-plots.ts";
import { theme } from "./theme.ts";

interface PlotProps {
  readonly title: string;
  readonly data: PlotData;
  readonly format: (value: number) => string;
  /** Possible distances between the lines of the grid. */
  readonly steps?: readonly number[];
}

const height = 180;
const seriesColors = 6;

/** A plot over time, with its last values as text. */
export function Plot({ title, data, format, steps }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const names = data.series.map(({ name }) => name).join("\n");
  const chosen = theme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot = draw(element, { title, data, format, ...(steps && { steps }) });
    const redraw = () => {
      plot.destroy();
      plot = draw(element, { title, data, format, ...(steps && { steps }) });
    };
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      observer.disconnect();
      plot.destroy();
    };
  }, [names, chosen, data]);
  return (
    <figure class="plot">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {data.series.map(({ name, values }, index) => (
            <li key={name}>
              <span class={`key s${index % seriesColors}`} aria-hidden="true" />
              {name} <b>{format(values.at(-1) ?? 0)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  );
}

/** Below this span, the times need seconds. */
const shortSpanS = 300;

function spanOf({ times }: PlotData): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

function draw(element: HTMLElement, { data, format, steps }: PlotProps): UPlot {
  const color = (name: string) => {
    // The property itself has the colors of both themes.
    element.style.color = `var(--${name})`;
    return getComputedStyle(element).color;
  };
  const axis = {
    stroke: color("quiet"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { stroke: color("line"), width: 1 },
    font: "11px system-ui, sans-serif",
  };
  const options: UPlot.Options = {
    ...{ width: element.clientWidth, height, legend: { show: false }, cursor: { y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, size: 30, values: spanOf(data) < shortSpanS ? "{HH}:{mm}:{ss}" : "{HH}:{mm}" },
      {
        ...{ ...axis, size: 66, values: (_, ticks) => ticks.map((tick) => format(tick)) },
        ...(steps && { incrs: [...steps] }),
      },
    ],
    series: [
      {},
      ...data.series.map(({ name }, index) => ({
        ...{ label: name, stroke: color(`s${index % seriesColors}`), width: 2, points: { show: false } },
        paths: UPlot.paths.stepped?.({ align: 1 }) ?? (() => null),
      })),
    ],
  };
  return new UPlot(options, [[...data.times], ...data.series.map(({ values }) => [...values])], element);
}
