/**
 * A capsule as one HTML file without script: it opens offline, and nothing in it can run. The same content gives the same
 * bytes, so a file whose text was changed differs from what its content gives.
 */
import { escapeHtml } from '../base/escape-html.ts';
import { formatDuration } from '../base/format-duration.ts';
import { parseDiff } from '../base/parse-diff.ts';
import { printable } from '../base/printable.ts';
import { plural } from '../base/text.ts';
import type { RunEvent } from '../protocol/event.ts';
import { RunEventSchema } from '../protocol/event.ts';
import type { TimelineBar } from '../protocol/views/timeline.ts';
import { foldTimeline } from '../protocol/views/timeline.ts';
import type { CapsuleData, CapsuleFact } from './capsule.ts';

/** One fact as a sentence. */
export type FactText = (event: RunEvent) => string;

const TEXT_CHARS_MAX = 2000;
const DIFF_LINES_MAX = 20_000;

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
td,th{text-align:start;vertical-align:top;padding:.15rem .6rem .15rem 0}pre,code,td.m{font:12px/1.5 ui-monospace,monospace}
pre{overflow-x:auto;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}.a{background:#2da44e33}.r{background:#cf222e33}.h{opacity:.6}
.t{position:relative;height:.8rem;background:#8882;min-width:12rem}.t i{position:absolute;top:0;bottom:0;min-width:2px;background:#0969da}
.t i.good{background:#2da44e}.t i.bad{background:#cf222e}.t i.limit,.t i.lost{background:#bf8700}summary{cursor:pointer}`;

/** Nothing is loaded and nothing runs, whatever the file contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
export const DATA_BEGIN = '<script type="application/json" id="capsule">';
export const DATA_END = '</script>';

export function renderCapsule(data: CapsuleData, factText: FactText): string {
  const { content, root } = data;
  const { run, task, facts, story, events, leftOut, diff, version, madeAt } = content;
  const known = events.map(knownFact);
  const bars = known
    .flatMap((event) => event ?? [])
    .reduce(foldTimeline, [] as readonly TimelineBar[]);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${safe(`Run ${run}`)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${safe(firstLine(task))}</h1><pre>${safe(task)}</pre>`,
    table(facts.map(({ name, value }) => [safe(name), safe(value)])),
    `<h2>Why it stands where it does</h2>`,
    table(
      story.map(({ at, what, evidence }) => [
        time(at),
        [
          safe(what),
          ...evidence.map(
            ({ source, line }) => `<div class="h">${safe(source)}: ${safe(line)}</div>`,
          ),
        ].join(''),
      ]),
    ),
    `<h2>Timeline</h2>${timeline(bars)}`,
    `<h2>Gates</h2>${gates(bars)}`,
    `<h2>Calls of the agents</h2>${calls(known)}`,
    `<h2>Diff</h2>${diff === null ? '<p>The run has changed no files.</p>' : diffHtml(diff)}`,
    `<h2>Facts</h2>${leftOut === 0 ? '' : `<p>The first ${plural(leftOut, 'fact')} are left out.</p>`}`,
    `<details><summary>${plural(events.length, 'fact')}</summary>`,
    table(
      events.map((event, nth) => [
        `#${event.seq}`,
        time(event.at),
        safe(textOf(event, known[nth], factText)),
      ]),
    ),
    '</details>',
    `<p class="h">Supervisor ${safe(version)}, ${time(madeAt)}. Hash ${safe(root)}. Check it with: supervisor capsule verify FILE</p>`,
    `${DATA_BEGIN}${dataText(data)}${DATA_END}`,
    '</body></html>',
    '',
  ].join('\n');
}

/** In a script element, only `<` can end it or begin a comment. */
function dataText(data: CapsuleData): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
}

function safe(text: string): string {
  const short = text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text;
  return escapeHtml(printable(short));
}

function knownFact(fact: CapsuleFact): RunEvent | undefined {
  return RunEventSchema.safeParse(fact).data;
}

/** A fact that lost its form with a secret still has its type. */
function textOf({ type }: CapsuleFact, event: RunEvent | undefined, factText: FactText): string {
  return event === undefined ? type : factText(event);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

function time(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** The cells are HTML already. */
function table(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return rows.length === 0 ? '<p>None.</p>' : `<table>${lines.join('\n')}</table>`;
}

function timeline(bars: readonly TimelineBar[]): string {
  const from = Math.min(...bars.map(({ begunAt }) => begunAt));
  const to = Math.max(from + 1, ...bars.map(({ begunAt, endedAt }) => endedAt ?? begunAt));
  const share = (ms: number): string => ((100 * ms) / (to - from)).toFixed(2);
  return table(
    bars.map(({ key, label, begunAt, endedAt, mark, note }) => {
      const ms = Math.max(0, (endedAt ?? to) - begunAt);
      const bar = `<div class="t"><i class="${mark}" style="left:${share(begunAt - from)}%;width:${share(ms)}%"></i></div>`;
      return [safe(key), bar, safe([formatDuration(ms), label, note].filter(Boolean).join(' '))];
    }),
  );
}

function gates(bars: readonly TimelineBar[]): string {
  const rows = bars.filter(({ command }) => command === 'gate');
  return table(
    rows.map(({ key, label, note, mark }) => [safe(label), safe(note || mark), safe(key)]),
  );
}

/** The turns of the agents: what each one called, and what became of the calls before. */
function calls(events: readonly (RunEvent | undefined)[]): string {
  const rows = events.flatMap((event) => {
    if (event?.type !== 'command.noted' || event.payload.command !== 'attempt') return [];
    const { key, note } = event.payload;
    if (note.kind !== 'turn') return [];
    const { number, calls: called, text } = note.turn;
    const words = called.map(({ tool, subject }) => `${tool} ${subject ?? ''}`.trim());
    return [[safe(`${key} ${number}`), safe(words.join(', ')), safe(text)]];
  });
  return table(rows);
}

const CLASSES = { added: 'a', removed: 'r', same: '', note: 'h' } as const;
const SIGNS = { added: '+', removed: '-', same: ' ', note: '\\ ' } as const;

function diffHtml(diff: string): string {
  let left = DIFF_LINES_MAX;
  const files = parseDiff(diff).map(({ path, notes, hunks }) => {
    const lines = hunks.flatMap(({ header, lines: changed }) => [
      `<span class="h">${safe(header)}</span>`,
      ...changed.map(
        ({ kind, text }) => `<span class="${CLASSES[kind]}">${safe(SIGNS[kind] + text)}</span>`,
      ),
    ]);
    const shown = lines.slice(0, Math.max(0, left));
    left -= lines.length;
    const more =
      shown.length < lines.length
        ? [`<span class="h">${plural(lines.length - shown.length, 'line')} more</span>`]
        : [];
    return `<details open><summary><code>${safe(path)}</code> ${safe(notes.join(', '))}</summary><pre>${[...shown, ...more].join('\n')}</pre></details>`;
  });
  return files.join('\n');
}
