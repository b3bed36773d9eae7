import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { LetterBox } from '../host/files/letter-box.ts';
import { contextLetter, HOOK_PROGRAM, HOOK_SCRIPT, hookCommand } from './message-way.ts';

test('the hook prints each letter once, and none for a subagent', async () => {
  await using dir = await tempDir();
  await using mailbox = await LetterBox.create(join(dir.path, '.mailbox-attempt-1'));
  await mailbox.put(HOOK_PROGRAM, HOOK_SCRIPT);
  const hook = (input: object): string =>
    execFileSync('/bin/sh', ['-c', hookCommand(mailbox.path)], {
      input: JSON.stringify(input),
      env: { HOME: dir.path, PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
  const tool = { tool_input: { text: '"agent_id"' } };
  assert.equal(hook(tool), '');
  await mailbox.put('aaaaaaaa.letter', '{"one":1}');
  assert.equal(hook({ ...tool, agent_id: 'sub' }), '');
  assert.deepEqual([hook(tool), hook(tool)], ['{"one":1}', '']);
  await mailbox.remove('aaaaaaaa.letter');
  await mailbox.put('bbbbbbbb.letter', '{"two":2}');
  assert.equal(hook(tool), '{"two":2}');
});

test('names the event of its hook in the answer', async () => {
  await using dir = await tempDir();
  await using mailbox = await LetterBox.create(join(dir.path, '.mailbox-attempt-1'));
  await mailbox.put(HOOK_PROGRAM, HOOK_SCRIPT);
  const text = 'a "hookEventName":"PostToolUse" in its words';
  const answer = async (event?: string): Promise<unknown> => {
    const name = `${event ?? 'none'}.letter`;
    await mailbox.put(name, contextLetter(text));
    const printed = execFileSync('/bin/sh', ['-c', hookCommand(mailbox.path, event)], {
      input: '{}',
      env: { HOME: dir.path, PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    await mailbox.remove(name);
    return JSON.parse(printed);
  };
  for (const event of [undefined, 'PostToolUseFailure'])
    assert.deepEqual(await answer(event), {
      hookSpecificOutput: { hookEventName: event ?? 'PostToolUse', additionalContext: text },
    });
});
