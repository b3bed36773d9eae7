import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from '../adapters/agent-event.ts';
import { toolUseEvent } from '../adapters/json-fields.ts';
import { at } from '../base/clock.ts';
import type { CallAbout, GatewayFact } from '../gateway/gateway-facts.ts';
import { BudgetPool } from '../gateway/budget/budget-pool.ts';
import type { AgentActivity } from '../protocol/activity.ts';
import { Redactor } from '../redaction/redactor.ts';
import { beginAttempt } from '../../test/support/attempt-harness.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { WorkTree } from './report-activity.ts';
import { callSignature } from '../turns/call-signature.ts';
import { callActivity, changedPaths, observedActivity, activityOfFact } from './report-activity.ts';

const tree: WorkTree = { folder: '/state/trees/1', copyOf: '/home/me/app' };
const cwd = '/state/trees/1/packages/a';

function call(tool: string, input: object): AgentActivity {
  const signature = callSignature(tool, input);
  return { kind: 'call', call: `${tool} ${JSON.stringify(input)}`, signature };
}

describe('what an agent is seen doing', () => {
  const cases: [why: string, AgentEvent, AgentActivity[]][] = [
    ['text is not an activity', { kind: 'said', text: 'I push now' }, []],
    [
      'a path is reported as one of the user’s own tree',
      toolUseEvent('Write', null, { file_path: '/state/trees/1/b.ts' }),
      [
        call('Write', { file_path: '/state/trees/1/b.ts' }),
        { kind: 'write', path: '/home/me/app/b.ts' },
      ],
    ],
    [
      'so is one from where it works',
      toolUseEvent('Write', null, { path: '../../.supervisor/config.yaml' }),
      [
        call('Write', { path: '../../.supervisor/config.yaml' }),
        { kind: 'write', path: '/home/me/app/.supervisor/config.yaml' },
      ],
    ],
    [
      'one outside stays what it is',
      toolUseEvent('Write', null, { path: '../../../2/x' }),
      [call('Write', { path: '../../../2/x' }), { kind: 'write', path: '/state/trees/2/x' }],
    ],
  ];
  for (const [why, event, expected] of cases)
    test(why, () => assert.deepEqual(observedActivity(event, tree, cwd), expected));

  test('long arguments that differ at their end are different calls, and short to tell', () => {
    const long = 'x'.repeat(5000);
    const calls = ['a', 'b', 'a'].map((end) =>
      callActivity(toolUseEvent('Edit', null, `${long}${end}`)),
    );
    assert.equal(calls[0], calls[2]);
    assert.notEqual(calls[0], calls[1]);
    assert.ok((calls[0] ?? '').length < 230);
  });

  test('changed paths are reported without secrets', () => {
    const redactor = new Redactor(['hunter2hunter2']);
    assert.deepEqual(changedPaths(['a.ts', 'b/hunter2hunter2.ts'], { tree, redactor }), {
      kind: 'changed',
      paths: ['/home/me/app/a.ts', '/home/me/app/b/[redacted].ts'],
    });
    assert.deepEqual(changedPaths([], { tree, redactor: null }), { kind: 'changed', paths: [] });
  });
});

describe('what a gateway shows', () => {
  const call: CallAbout = {
    number: 1,
    wire: 'anthropic',
    kind: 'main',
    conversation: 'a',
    model: 'm',
  };
  const clock = new ManualClock(60_000);
  const own = new BudgetPool('run', { usd: 5, tokens: null, calls: null, wallMs: 120_000 }, at(0), {
    usd: 4,
    tokens: 100,
    calls: 2,
  });
  const shared = new BudgetPool('project', { usd: 9, tokens: 1, calls: 1, wallMs: 1 }, at(0));
  const shows = (fact: GatewayFact): readonly AgentActivity[] =>
    activityOfFact(fact, [shared, own], clock, (text) => text.replace('secret', '[redacted]'));

  test('total spending, and the shares of its own caps', () => {
    assert.deepEqual(
      shows({
        kind: 'call-settled',
        call,
        cost: { tokens: 1, usd: 1, inputTokens: 1, outputTokens: 0 },
        at: at(0),
      }),
      [
        { kind: 'spend', usd: 4 },
        {
          kind: 'purse',
          shares: [
            { limit: 'usd', spent: 4, cap: 5 },
            { limit: 'wall', spent: 60_000, cap: 120_000 },
          ],
        },
      ],
    );
  });

  const refused: [what: string, AgentActivity[]][] = [
    ['CONNECT a.example:443', [{ kind: 'connect', host: 'a.example' }]],
    ['GET http://b.example/x', [{ kind: 'connect', host: 'b.example' }]],
    ['CONNECT [::1]:22', [{ kind: 'connect', host: '[::1]' }]],
    ['POST /v1/strange', []],
  ];
  for (const [what, expected] of refused)
    test(`${what} is ${expected.length === 0 ? 'no way out' : 'one'}`, () => {
      const fact: GatewayFact = {
        kind: 'unexpected-request',
        why: 'no-tunnel',
        what,
        count: 1,
        at: at(0),
      };
      assert.deepEqual(shows(fact), expected);
    });
});

test('an attempt tells what its agent does, as it does it', { timeout: 300_000 }, async () => {
  await using dir = await tempDir();
  const seen: AgentActivity[] = [];
  const calls = [
    { name: 'bash', input: { command: 'git push' } },
    { name: 'write', input: { path: 'a.ts' } },
  ];
  const args = ['2', '0', ...calls.map((one) => JSON.stringify(one))];
  const agent = { id: 'scripted:uses-tools', cli: 'scripted', args, env: {} };
  const onActivity = (_run: string, activity: AgentActivity): void => void seen.push(activity);
  const { kind } = await beginAttempt(dir.path, 'uses-tools', { agent, onActivity }).outcome;
  assert.equal(kind, 'completed');
  const round = [
    call('bash', { command: 'git push' }),
    { kind: 'command', argv: ['git', 'push'] },
    call('write', { path: 'a.ts' }),
    { kind: 'write', path: `${dir.path}/a.ts` },
  ];
  assert.deepEqual(seen, [
    { kind: 'turn-begun', folder: dir.path },
    ...round,
    ...round,
    { kind: 'turn-ended' },
  ]);
});
