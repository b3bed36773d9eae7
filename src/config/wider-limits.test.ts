/** Limits of a trusted project compared with the user's value, or the default if there is none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { loadFiles } from '../../test/support/load-settings-fixture.ts';
import { PROJECT_RULES } from './project-rules.ts';

const none = '';

describe('a limit of a trusted project', () => {
  const refused: readonly (readonly [project: string, user: string, why: string])[] = [
    [
      'sandbox: {memory: 16GB}',
      none,
      '16GB is wider than your own limit: your settings do not set sandbox.memory, and its default is 4GB',
    ],
    [
      'sandbox: {memory: 16GB}',
      'sandbox: {memory: 8GB}',
      'your settings set sandbox.memory to 8GB',
    ],
    [
      'sandbox: {memory: 16GB}',
      'sandbox: {memory: null}',
      'your settings do not set sandbox.memory, and its default is 4GB',
    ],
    ['sandbox: {memory: 3GB}', 'sandbox: {memory: 2GB}', 'your settings set sandbox.memory to 2GB'],
    ['sandbox: {disk: 11GB}', none, 'sandbox.disk, and its default is 10GB'],
    ['sandbox: {tmp: 1GB}', none, 'sandbox.tmp, and its default is 500MB'],
    ['sandbox: {cpus: 3}', none, 'sandbox.cpus, and its default is 2'],
    ['sandbox: {pids: 513}', 'sandbox: {cpus: 8}', 'sandbox.pids, and its default is 512'],
    [
      'attempt: {deadline: 2h}',
      'attempt: {deadline: 1h}',
      'your settings set attempt.deadline to 1h',
    ],
    ['attempt: {grace: 9m}', none, 'attempt.grace, and its default is 10s'],
    ['budget: {usd: 6}', 'budget: {usd: 5}', 'your settings set budget.usd to 5'],
    [
      'recovery: {attempts_max: 31}',
      none,
      'recovery.attempts_max, and a project may set at most 30',
    ],
    ['limits: {disk_free: 1MB}', none, '1MB is wider than your own limit'],
    [
      'tree: {children: [{name: a, assignment: x, sandbox: {memory: 5GB}}]}',
      none,
      'your settings do not set sandbox.memory, and its default is 4GB',
    ],
    [
      'tree: {children: [{name: a, assignment: x, budget: {usd: 6}}]}',
      'budget: {usd: 5}',
      'your settings set budget.usd to 5',
    ],
  ];
  for (const [project, user, why] of refused)
    test(`${project} is refused if the user sets ${user || 'nothing'}`, async () => {
      const error = await loadFiles({ user, project }).catch((thrown: unknown) => thrown);
      assert.ok(isRefusal(error, 'config.invalid'), String(error));
      assert.ok(error.message.includes(why), error.message);
      assert.match(error.data.hint ?? '', /put it into your own file/);
    });

  const accepted: readonly (readonly [project: string, user: string])[] = [
    ['sandbox: {memory: 16GB}', 'sandbox: {memory: 16GB}'],
    ['sandbox: {memory: 16GB}', 'sandbox: {memory: 32GB}'],
    ['sandbox: {memory: 4GB}', none],
    ['sandbox: {memory: 1GB}', none],
    ['attempt: {deadline: 2h}', none],
    ['budget: {usd: 1000}', none],
    ['recovery: {attempts_max: 30}', none],
    ['recovery: {attempts_max: 40}', 'recovery: {attempts_max: 50}'],
    ['limits: {disk_free: 999GB}', none],
  ];
  for (const [project, user] of accepted)
    test(`${project} is accepted if the user sets ${user || 'nothing'}`, async () => {
      await assert.doesNotReject(loadFiles({ user, project }));
    });

  test('is compared with a setting that exists', () => {
    const known = Object.keys(PROJECT_RULES);
    const limitKeys = Object.values(PROJECT_RULES).flatMap((rule) =>
      'limitKey' in rule ? [rule.limitKey] : [],
    );
    assert.ok(limitKeys.length > 20);
    assert.deepEqual(
      limitKeys.filter((key) => !known.includes(key)),
      [],
    );
  });
});
