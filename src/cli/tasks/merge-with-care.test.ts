import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { CliContext } from '../cli-context.ts';
import { mayMerge } from './merge-with-care.ts';

const DIFF: Pick<WorkDiff, 'approvals'> = {
  approvals: [
    { path: '.envrc', needs: 'executing', why: 'run by direnv' },
    { path: 'a.test.ts', needs: 'tests', why: 'a test' },
  ],
};
const NONE = { includeExecuting: false, includeSettings: false, includeTests: false };
const ALL = { includeExecuting: true, includeSettings: true, includeTests: true };

async function merge(
  answer: boolean | undefined,
  options: { readonly yes?: boolean; readonly json?: boolean } & Partial<typeof NONE>,
  program = FEATURE_PROGRAM as string,
) {
  const shown: string[] = [];
  const context = {
    err: (text: string) => shown.push(text),
    terminal: { isTty: false, colour: false },
    env: {},
    ...(answer === undefined ? {} : { confirm: () => Promise.resolve(answer) }),
  } as unknown as CliContext;
  const how = { yes: false, json: false, ...NONE, ...options };
  const end = await mayMerge(context, { id: 'a', program }, DIFF, how).catch((error: unknown) =>
    isRefusal(error) ? `${error.message} ${error.data.hint}` : error,
  );
  return [end, shown.join('')];
}

const MESSAGE =
  'The branch changes files that run by themselves (.envrc) and tests that were there before (a.test.ts).';
const WARNING = `warning: ${MESSAGE}\n`;
const REFUSED = `${MESSAGE} Nothing was merged. Review them with: supervisor diff a. Merge them too with: supervisor complete-task a --merge --yes --include-executing --include-tests`;

describe('the branch of a feature with files that run by themselves', () => {
  test('is merged after a yes of its own', async () => {
    assert.deepEqual(await merge(true, {}), [true, WARNING]);
  });
  test('is not merged after a no', async () => {
    assert.deepEqual(await merge(false, {}), [false, WARNING]);
  });
  test('is refused where no person is asked, with the flags that it needs', async () => {
    for (const options of [{ yes: true }, { json: true, yes: true }])
      assert.deepEqual(await merge(true, options), [REFUSED, '']);
    assert.deepEqual(await merge(undefined, {}), [REFUSED, '']);
  });
  test('is merged with these flags', async () => {
    assert.deepEqual(await merge(undefined, { yes: true, ...ALL }), [true, '']);
  });
});

test('what a workflow has committed was approved there', async () => {
  assert.deepEqual(await merge(undefined, { yes: true }, WORKFLOW_PROGRAM), [true, '']);
});
