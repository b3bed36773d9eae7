/** Spending as stacked bars. The colours are those of the page, and follow its light and dark. */
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { SpendView } from '../../../src/protocol/views/spend-view.ts';
import { shortNumber } from '../parts/words.ts';
import { COLOURS } from './colours.ts';
import { stack } from './stack.ts';

const HEIGHT_PX = 190;

type ChartProps = { readonly view: SpendView; readonly unit: 'usd' | 'tokens' };

export function Chart({ view, unit }: ChartProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useDark();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const plot = new uPlot(options(element, view, unit), dataOf(view, unit), element);
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [view, unit, isDark]);
  const what = unit === 'usd' ? 'US dollars' : 'tokens';
  return (
    <div ref={box} className="chart" role="img" aria-label={`Spending over time in ${what}`} />
  );
}

/** Those on top are drawn first, so that the lower ones cover them. */
function dataOf({ since, partMs, groups }: SpendView, unit: 'usd' | 'tokens'): uPlot.AlignedData {
  const stacked = stack(groups.map((group) => group[unit]));
  const times = (groups[0]?.usd ?? []).map((_, index) => (since + (index + 0.5) * partMs) / 1000);
  return [times, ...stacked.toReversed().map((values) => [...values])];
}

function options(element: HTMLElement, view: SpendView, unit: 'usd' | 'tokens'): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => {
    // A canvas knows no variables, and no light-dark().
    const probe = document.createElement('i');
    probe.style.color = `var(--${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const axis = {
    stroke: colour('soft'),
    grid: { stroke: colour('hair'), width: 1 },
    ticks: { stroke: colour('hair'), width: 1 },
    font: `11px ${style.fontFamily}`,
  };
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], radius: 0 });
  const text = (value: number): string => (unit === 'usd' ? `$${value}` : shortNumber(value));
  const series = view.groups.map((group, index) => ({
    label: group.name ?? '',
    fill: colour(COLOURS[index % COLOURS.length] ?? 'soft'),
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  }));
  return {
    width: Math.max(200, element.clientWidth),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 0, 0, 0],
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    axes: [axis, { ...axis, size: 56, values: (_, all) => all.map(text) }],
    series: [{}, ...series.toReversed()],
  };
}

function useDark(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const change = (): void => setIsDark(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isDark;
}
