import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Applied, ApplyRequest } from '../../protocol/api.ts';
import { applyOrAsk } from './apply-or-ask.ts';
import type { CliContext } from '../cli-context.ts';

const APPLIED: Applied = {
  commit: 'c',
  files: 2,
  merged: 0,
  branch: null,
  made: null,
  onto: 'main',
};

/** A run that failed, and a person who answers the question. */
async function applyFailed(answer: boolean | undefined, json = false) {
  const shown: string[] = [];
  const requests: ApplyRequest[] = [];
  const client = {
    apply: (_: string, request: ApplyRequest) => {
      requests.push(request);
      return request.evenIfFailed === true
        ? Promise.resolve(APPLIED)
        : Promise.reject(
            new Refusal({ code: 'workspace.run-failed', message: 'Run a failed: red.' }),
          );
    },
    diff: () => Promise.resolve({ files: [{ path: 'a.txt' }, { path: 'b\u001B[2J.txt' }] }),
  } as unknown as Client;
  const context = {
    err: (text: string) => shown.push(text),
    terminal: { isTty: false, colour: false },
    env: {},
  } as unknown as CliContext;
  const ask =
    answer === undefined
      ? undefined
      : (question: string) => {
          shown.push(question);
          return Promise.resolve(answer);
        };
  const result = await applyOrAsk(context, client, 'a', {}, { json, key: undefined, ask }).catch(
    (error: unknown) => (error as Error).message,
  );
  return { result, shown: shown.join(''), applies: requests.length };
}

describe('the work of a run that failed', () => {
  const question = 'warning: Run a failed: red.\n  a.txt\n  b\\x1b[2J.txt\nApply 2 files anyway?';

  test('is applied after a yes, and the person saw why it failed and the files', async () =>
    assert.deepEqual(await applyFailed(true), { result: APPLIED, shown: question, applies: 2 }));

  test('is not applied after a no', async () =>
    assert.deepEqual(await applyFailed(false), {
      result: 'Canceled. Nothing was applied.',
      shown: question,
      applies: 1,
    }));

  test('is refused without a question if there is no terminal, or a script reads the answer', async () => {
    const refused = { result: 'Run a failed: red.', shown: '', applies: 1 };
    assert.deepEqual(await applyFailed(undefined), refused);
    assert.deepEqual(await applyFailed(true, true), refused);
  });
});
