/** Why `supervisor init` does not exit with 0, for its JSON. */
import { shellWord } from '../../base/shell-words.ts';
import type { BaseCheckStep } from '../../protocol/views/base-check-view.ts';
import type { ErrorFields } from '../../public-json/error-document.ts';
import { simpleError } from '../../public-json/error-document.ts';

export const NOTHING_WRITTEN = simpleError(
  'usage.invalid',
  'Nothing was written.',
  'To write this, add --yes. To see the file, add --dry-run.',
);

/** A file that exists is kept, so that --yes only tries it. */
export const NOTHING_TO_WRITE = simpleError(
  'usage.invalid',
  'Nothing was written: .supervisor/config.yaml exists and stays as it is.',
  'To try its setup and its gates, add --yes. To see what init would write now, add --dry-run.',
);

export function notTrusted(project: string): ErrorFields {
  return simpleError(
    'project.untrusted',
    'Some of the files in .supervisor are not trusted yet.',
    `Review them with: supervisor trust ${shellWord(project)}`,
  );
}

/** Null: the setup and every gate are green. `remedy`: what a person reads at the end. */
export function proofError(
  steps: readonly BaseCheckStep[],
  isInterrupted: boolean,
  remedy: string,
): ErrorFields | null {
  if (isInterrupted)
    return simpleError('command.interrupted', 'Stopped. The file stays.', remedy.trimEnd());
  const red = steps.find(({ state }) => state !== 'passed');
  if (red === undefined) return null;
  const what = red.kind === 'setup' ? 'The setup' : `Gate ${red.name}`;
  return simpleError(codeOf(red), `${what} is red: ${red.summary}`, remedy.trimEnd());
}

function codeOf({ kind, state }: BaseCheckStep): 'setup.failed' | 'gate.failed' | 'gate.unable' {
  if (kind === 'setup') return 'setup.failed';
  return state === 'failed' ? 'gate.failed' : 'gate.unable';
}
