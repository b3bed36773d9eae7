/** How the screen looks on this terminal. */
import type { RunStatus } from '../protocol/views/run-status.ts';
import type { Style } from './screen-line.ts';

type Marks = Readonly<
  Record<
    | 'selected'
    | 'marked'
    | 'asks'
    | 'works'
    | 'waits'
    | 'good'
    | 'bad'
    | 'open'
    | 'live'
    | 'cursor'
    | 'secret'
    | 'bar'
    | 'arrow'
    | 'edge',
    string
  >
>;

export type Look = {
  readonly hasColour: boolean;
  /** For a screen reader: words instead of marks, one column, and nothing that changes by itself. */
  readonly isPlain: boolean;
  readonly marks: Marks;
};

const UNICODE: Marks = {
  ...{
    selected: '▸',
    marked: '▪',
    asks: '◆',
    works: '●',
    waits: '◌',
    good: '✔',
    bad: '✖',
    open: '○',
  },
  ...{ live: '●', cursor: '▏', secret: '•', bar: '█', arrow: '▶', edge: '│' },
};
const ASCII: Marks = {
  ...{
    selected: '>',
    marked: '#',
    asks: '?',
    works: '*',
    waits: '.',
    good: '+',
    bad: 'x',
    open: 'o',
  },
  ...{ live: 'up', cursor: '_', secret: '*', bar: '=', arrow: '>', edge: '|' },
};

export function chooseLook(
  env: Readonly<Record<string, string | undefined>>,
  { hasColour, isPlain }: Pick<Look, 'hasColour' | 'isPlain'>,
): Look {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (one) => one !== undefined && one !== '',
  );
  const isUnicode = !isPlain && /utf-?8/i.test(locale ?? '');
  return { hasColour: hasColour && !isPlain, isPlain, marks: isUnicode ? UNICODE : ASCII };
}

const BAD: ReadonlySet<RunStatus> = new Set([
  'failed',
  'refused',
  'exhausted',
  'blocked',
  'killed',
]);
const WAITING: ReadonlySet<RunStatus> = new Set([
  ...(['queued', 'cooling', 'retrying', 'waiting', 'paused', 'parked', 'summoned'] as const),
]);

/** The mark of a state, and its color. */
export function markOf(
  status: RunStatus,
  asks: boolean,
  { marks }: Look,
): readonly [string, Style] {
  if (asks) return [marks.asks, 'yellow'];
  if (status === 'succeeded') return [marks.good, 'green'];
  if (BAD.has(status)) return [marks.bad, 'red'];
  if (status === 'unverified' || status === 'cancelled') return [marks.open, 'yellow'];
  return WAITING.has(status) ? [marks.waits, 'dim'] : [marks.works, 'cyan'];
}
