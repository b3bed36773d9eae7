import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { joinWords } from './task-words.ts';

describe('a text of several words', { timeout: 300_000 }, () => {
  const clear: [why: string, words: string[], typed: string[], text: string][] = [
    ['in quotation marks is taken as it is', ['fix  it'], ['run', 'fix  it'], 'fix  it'],
    ['without them is joined', ['fix', 'it'], ['run', 'fix', 'it'], 'fix it'],
    ['is joined before options', ['fix', 'it'], ['run', 'fix', 'it', '-a', 'x'], 'fix it'],
    ['is joined after options', ['fix', 'it'], ['run', '-a', 'x', 'fix', 'it'], 'fix it'],
    ['may repeat a word', ['a', 'b', 'a'], ['run', 'a', 'b', 'a'], 'a b a'],
  ];
  for (const [why, words, typed, text] of clear)
    test(why, () => assert.equal(joinWords(words, typed), text));

  const unclear: [why: string, words: string[], typed: string[], message: RegExp][] = [
    [
      'is refused if more words follow a quoted text',
      ['fix it', 'test'],
      ['run', 'fix it', '--gate', 'npm', 'test'],
      /^After the text "fix it" there are more words: "test"\.$/,
    ],
    [
      'is refused if an option stands between the words',
      ['fix', 'it', 'test'],
      ['run', 'fix', 'it', '--gate', 'npm', 'test'],
      /^It is not clear which words are the text: "fix", "it", "test"\.$/,
    ],
  ];
  for (const [why, words, typed, message] of unclear)
    test(why, () => {
      assert.throws(
        () => joinWords(words, typed),
        (error: unknown) => isRefusal(error, 'usage.invalid') && message.test(error.message),
      );
    });

  test('is the task of run, the message of send and the assignment of spawn', async () => {
    await using cli = await inProcessCli();
    const ran = await cli.say(['run', 'write', 'a', 'haiku', '-a', 'scripted']);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /^Run [0-9a-f]{10} {2}write a haiku\n/);
    const unclear = await cli.say(['run', 'fix it', '--gate', 'npm', 'test', '-a', 'scripted']);
    assert.deepEqual([unclear.code, unclear.out], [2, '']);
    assert.match(unclear.err, /^error: After the text "fix it" there are more words: "test"\.\n/);
    const agent = ['--name', 'docs', '--agent', 'scripted:lives-in-turns', '--on-done', 'wait'];
    const spawned = await cli.say(['spawn', 'keep', 'the', 'docs', ...agent, '--json']);
    assert.equal((JSON.parse(spawned.out) as { assignment: string }).assignment, 'keep the docs');
    assert.equal((await cli.say(['send', 'docs', 'look', 'at', 'it'])).code, 0);
    const misspelt = await cli.say(['send', 'dosc', 'look', 'at', 'it']);
    assert.match(
      misspelt.err,
      /^error: There is no agent "dosc" in .* \(did you mean "docs"\?\)\.\n/,
    );
    assert.equal((await cli.say(['dismiss', 'docs'])).code, 0);
  });
});
