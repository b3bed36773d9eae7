/** What was looked at before a run, a line each, and what to do about what is not as it should be. */
import type { Preflight, PreflightState } from '../../protocol/views/preflight-view.ts';
import { refusalExitCode, EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const MARKS: Readonly<
  Record<PreflightState, readonly [mark: string, style: 'green' | 'yellow' | 'red']>
> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
};

export function formatPreflight(context: CliContext, { ok, checks }: Preflight): string {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ title, state, words, hint }) => {
    const [mark, style] = MARKS[state];
    const said = printable(words).replaceAll(/\n\s*/g, `\n${' '.repeat(width + 4)}`);
    const first = `${paint(context, style, mark)} ${printable(title).padEnd(width)}  ${said}`;
    const remedy = paint(context, 'dim', `${' '.repeat(width + 4)}${printable(hint ?? '')}`);
    return hint === null ? [first] : [first, remedy];
  });
  const verdict = ok ? 'A run could begin.' : 'A run could not begin.';
  return `${[...lines, '', `${verdict} None was made.`].join('\n')}\n`;
}

/** As a run would end that is refused for it. */
export function preflightExitCode({ ok, checks }: Preflight): number {
  if (ok) return EXIT.ok;
  const codes = checks.flatMap(({ state, code }) => (state === 'failed' ? [code ?? ''] : []));
  return Math.max(...codes.map(refusalExitCode));
}
