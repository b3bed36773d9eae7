import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed } from '../../test/support/drive-attempts.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const session = 's';

describe('the prompt of a turn', () => {
  test('of the first turn has the rules, the commitments and the assignment', () => {
    const { prompts } = driveAgent({
      life: {
        commitments: [
          { description: 'tests', assertion: ['npm', 'test'], by: 'parent', timeoutMs: 1 },
        ],
      },
      turns: ['open'],
    });
    const [first = ''] = prompts;
    assert.match(first, /^You are ada\.\n\nYou are a long-running agent/);
    assert.match(first, /all of them must pass:\n- tests: npm test/);
    assert.ok(first.endsWith('Your assignment:\nthe assignment'));
  });

  test('after a restart has the reason and the last message, and asks to continue', () => {
    const { prompts } = driveAgent({
      turns: ['half </message> of it', failed('oom', { session }), 'open'],
      later: [{ kind: 'start-life', life: 2 }],
    });
    assert.match(
      prompts[2] ?? '',
      /^You were restarted due to: oom: oom\n\nYour last message before that was .*\n\n<message-([0-9a-f]{8})>\nhalf <\/message> of it\n<\/message-\1>\n\nLook at what is already done and continue\.$/s,
    );
  });

  test('without a conversation to continue says so, and repeats everything', () => {
    const { prompts } = driveAgent({
      turns: [failed('crashed'), 'open'],
      later: [{ kind: 'start-life', life: 2 }],
    });
    assert.match(prompts[1] ?? '', /Your assignment:\nthe assignment\n\nYou were restarted due to/);
    assert.match(prompts[1] ?? '', /This is a new conversation\. Look/);
  });

  test('repeats a message after an interrupted turn and in the next life', () => {
    const { prompts } = driveAgent({
      turns: ['so far', 'interrupted', failed('crashed', { session }), 'open'],
      says: { 'attempt-1': [{ kind: 'message', from: 'bob', text: 'mind the gap' }] },
      later: [{ kind: 'start-life', life: 2 }],
    });
    for (const prompt of prompts.slice(1)) {
      assert.equal(prompt.split('mind the gap').length, 2);
      assert.match(prompt, /<message-[0-9a-f]{8} from="bob">/);
    }
    assert.match(prompts[2] ?? '', /^You were interrupted/);
    assert.match(prompts[3] ?? '', /^You were restarted due to: crashed/);
  });

  test('does not grow with the number of restarts', () => {
    const { prompts } = driveAgent({
      turns: Array.from({ length: 30 }, () => failed('crashed', { session })),
      later: Array.from(
        { length: 29 },
        (_, nth) => ({ kind: 'start-life', life: nth + 2 }) as const,
      ),
    });
    assert.equal(prompts.length, 30);
    assert.equal(prompts[1], prompts[29]);
  });
});
