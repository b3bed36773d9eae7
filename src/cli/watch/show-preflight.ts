/** Shows the checks before a run: what it would do, and what would keep it from starting. */
import type { ErrorFields } from '../../public-json/error-document.ts';
import { simpleError } from '../../public-json/error-document.ts';
import { preflightDocument } from '../../public-json/machine-documents.ts';
import type { Preflight, PreflightState } from '../../protocol/views/preflight-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { EXIT, exitCodeFor } from '../exit-codes.ts';
import { printJson } from '../json/print-json.ts';

/** Resolves to the exit code: that of the worst check. `closing`: the last line of the text. */
export function showPreflight(
  context: CliContext,
  found: Preflight,
  { json, closing }: { readonly json: boolean; readonly closing: string },
): number {
  const error = preflightError(found);
  const code = error === null ? EXIT.ok : exitCodeFor(error.code);
  if (json) printJson(context, preflightDocument(found, error, code));
  else context.out(`${formatChecks(context, found)}\n${closing}\n`);
  return code;
}

const MARKS: Readonly<
  Record<PreflightState, readonly [mark: string, style: 'green' | 'dim' | 'yellow' | 'red']>
> = {
  ok: ['✓', 'green'],
  unchecked: ['·', 'dim'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
};

/** One line for each check, and a hint below each that is not ok. */
function formatChecks(context: CliContext, { checks }: Preflight): string {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ title, state, words, hint }) => {
    const [mark, style] = MARKS[state];
    const text = printable(words).replaceAll(/\n\s*/g, `\n${' '.repeat(width + 4)}`);
    const first = `${paint(context, style, mark)} ${printable(title).padEnd(width)}  ${text}`;
    const remedy = paint(context, 'dim', `${' '.repeat(width + 4)}${printable(hint ?? '')}`);
    return hint === null ? [first] : [first, remedy];
  });
  return `${lines.join('\n')}\n`;
}

/** The first check of those that failed with the highest exit code. Null: a run could begin. */
function preflightError({ checks }: Preflight): ErrorFields | null {
  const errors = checks.flatMap(({ state, code, words, hint }) =>
    state === 'failed' ? [simpleError(code ?? 'run.refused', words, hint)] : [],
  );
  const [worst] = errors.toSorted((a, b) => exitCodeFor(b.code) - exitCodeFor(a.code));
  return worst ?? null;
}
