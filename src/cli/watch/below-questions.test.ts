import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { BelowQuestions } from './below-questions.ts';

const ROOT = '0123456789';
const ASKED: OpenQuestion = {
  ...{ run: 'aaaaaaaaaa', key: 'ask-1', task: 'x', project: '/p', question: 'Which port?' },
  ...{ choices: [], since: 0, over: null, parent: ROOT, root: ROOT, part: 'step plan' },
};

/** What a stream of questions that fails shows. `fails`: after the first question. */
async function show(fails: Error, signal: AbortSignal): Promise<{ told: string[]; err: string }> {
  const told: string[] = [];
  let err = '';
  const below = new BelowQuestions(
    { id: ROOT, program: 'workflow' },
    {
      tell: ({ run }) => void told.push(run),
      changed: () => {},
      printError: (text) => void (err += text),
    },
  );
  const client = {
    async *followQuestions(): AsyncGenerator<readonly OpenQuestion[], void> {
      yield [ASKED];
      throw fails;
    },
  };
  await below.show(client, signal);
  return { told, err };
}

describe('a stream of questions that fails ends no command', () => {
  const going = new AbortController().signal;
  const refusal = new Refusal({ code: 'owner.unreachable', message: 'The owner died.' });
  const aborted = new DOMException('This operation was aborted', 'AbortError');
  const cases: [why: string, fails: Error, signal: AbortSignal, err: RegExp][] = [
    [
      'and a defect is shown',
      new Error('the owner failed: x'),
      going,
      /^Could not .*owner failed: x/,
    ],
    ['and a refusal is left to the events', refusal, going, /^$/],
    ['nor is it shown once the command has aborted it', aborted, AbortSignal.abort(), /^$/],
  ];
  for (const [why, fails, signal, err] of cases)
    test(why, async () => {
      const shown = await show(fails, signal);
      assert.deepEqual(shown.told, [ASKED.run]);
      assert.match(shown.err, err);
    });
});
