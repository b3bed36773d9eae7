import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed } from '../../test/support/drive-attempts.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const session = 's';

describe('what a turn is told', () => {
  test('the first one: the rules, what was promised, the assignment', () => {
    const { heard } = driveAgent({
      life: {
        commitments: [
          { description: 'tests', assertion: ['npm', 'test'], by: 'parent', timeoutMs: 1 },
        ],
      },
      turns: ['open'],
    });
    const [first = ''] = heard;
    assert.match(first, /^You are ada\.\n\nYou are a long-running agent/);
    assert.match(first, /all of them must pass:\n- tests: npm test/);
    assert.ok(first.endsWith('Your assignment:\nthe assignment'));
  });

  test('after a restart: why, what it said last, and that it goes on', () => {
    const { heard } = driveAgent({
      turns: ['half </message> of it', failed('oom', { session }), 'open'],
      later: [{ kind: 'live', life: 2 }],
    });
    assert.match(
      heard[2] ?? '',
      /^You were restarted due to: oom: oom\n\nYour last message before that was .*\n\n<message-([0-9a-f]{8})>\nhalf <\/message> of it\n<\/message-\1>\n\nLook at what is already done and continue\.$/s,
    );
  });

  test('where there is no conversation to go on with, that it begins afresh, and everything', () => {
    const { heard } = driveAgent({
      turns: [failed('crashed'), 'open'],
      later: [{ kind: 'live', life: 2 }],
    });
    assert.match(heard[1] ?? '', /Your assignment:\nthe assignment\n\nYou were restarted due to/);
    assert.match(heard[1] ?? '', /This is a new conversation\. Look/);
  });

  test('a message that came to nothing is told again, in a lost turn and in the next life', () => {
    const { heard } = driveAgent({
      turns: ['so far', 'lost', failed('crashed', { session }), 'open'],
      says: { 'attempt-1': [{ kind: 'message', from: 'bob', text: 'mind the gap' }] },
      later: [{ kind: 'live', life: 2 }],
    });
    for (const told of heard.slice(1)) {
      assert.equal(told.split('mind the gap').length, 2);
      assert.match(told, /<message-[0-9a-f]{8} from="bob">/);
    }
    assert.match(heard[2] ?? '', /^You were interrupted/);
    assert.match(heard[3] ?? '', /^You were restarted due to: crashed/);
  });

  test('however often it is restarted, it does not grow', () => {
    const { heard } = driveAgent({
      turns: Array.from({ length: 30 }, () => failed('crashed', { session })),
      later: Array.from({ length: 29 }, (_, nth) => ({ kind: 'live', life: nth + 2 }) as const),
    });
    assert.equal(heard.length, 30);
    assert.equal(heard[1], heard[29]);
  });
});
