import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import { digestOf } from './given-variables.ts';
import type { Variables } from './given-variables.ts';
import { describeVariables, RunEnvironments } from './run-environments.ts';

const NAME = 'ANTHROPIC_API_KEY';
const mine = { [NAME]: 'of the shell' };
const other = { [NAME]: 'of the owner' };
const given: AgentSpec['given'] = { names: [NAME], digest: digestOf(mine) };
const submission = {
  settings: { agent: { id: 'claude', cli: 'claude', args: [], env: {}, given } },
} as unknown as Submission;

describe('the key of a run', () => {
  const rows: [
    why: string,
    owner: Variables,
    shell: Record<string, string> | undefined,
    agent: Pick<AgentSpec, 'given'>,
    key: string | undefined,
    lacking: string[],
  ][] = [
    ['is that of its shell', {}, mine, { given }, 'of the shell', []],
    ['is that of its shell, whatever the owner has', other, mine, { given }, 'of the shell', []],
    ['is missing after a restart', {}, undefined, { given }, undefined, [NAME]],
    ['is never another key of the owner', other, undefined, { given }, undefined, [NAME]],
    ['may be the same key of the next owner', mine, undefined, { given }, 'of the shell', []],
    [
      'may be any key of the owner if its command had no shell',
      other,
      undefined,
      { given: { names: [NAME], digest: null } },
      'of the owner',
      [],
    ],
    [
      'is missing if its command had no shell and the next owner has none',
      {},
      undefined,
      { given: { names: [NAME], digest: null } },
      undefined,
      [NAME],
    ],
    [
      'does not exist if its shell had none, whatever the owner has',
      other,
      undefined,
      { given: { names: [], digest: digestOf({}) } },
      undefined,
      [],
    ],
    ['is that of the owner if nothing was pinned', other, undefined, {}, 'of the owner', []],
  ];
  for (const [why, owner, shell, agent, key, lacking] of rows)
    test(why, () => {
      const environments = new RunEnvironments({ HOME: '/home/me', ...owner });
      if (shell !== undefined) environments.giveTo(submission, shell)('run-1');
      const found = environments.credentialsOf('run-1', agent);
      assert.deepEqual([found[NAME], found['HOME']], [key, '/home/me']);
      assert.deepEqual(environments.lacking('run-1', agent), lacking);
    });

  test('is kept apart from those of other runs, and forgotten with its run', () => {
    const environments = new RunEnvironments({});
    environments.giveTo(submission, mine)('run-1');
    environments.giveTo(submission, { [NAME]: 'second' })('run-2');
    assert.equal(environments.credentialsOf('run-1', { given })[NAME], 'of the shell');
    assert.equal(environments.credentialsOf('run-2', { given })[NAME], 'second');
    environments.forget('run-1');
    assert.deepEqual([environments.has('run-1'), environments.has('run-2')], [false, true]);
  });

  test('is kept only if an agent of the run needs it, and PATH never', () => {
    const environments = new RunEnvironments({});
    environments.giveTo(submission, { OPENAI_API_KEY: 'x', PATH: '/bin' })('run-1');
    assert.equal(environments.has('run-1'), false);
  });

  test('is dropped when too many runs have one, the oldest first', () => {
    const environments = new RunEnvironments({}, 2);
    for (const run of ['run-1', 'run-2', 'run-3']) environments.giveTo(submission, mine)(run);
    assert.deepEqual(environments.lacking('run-1', { given }), [NAME]);
    assert.deepEqual(environments.lacking('run-3', { given }), []);
  });

  test('is named by the refusal that its absence causes, and never shown', () => {
    const environments = new RunEnvironments(other);
    assert.throws(
      () => environments.require('run-1', { id: 'claude', given }),
      (error) =>
        isRefusal(error, 'agent.keys-missing') &&
        error.message === `claude needs the key ${NAME}.` &&
        !/of the/.test(JSON.stringify(error.data)),
    );
  });
});

describe('variables in words', () => {
  const cases: readonly [names: readonly string[], expected: string][] = [
    [['OPENAI_API_KEY'], 'the key OPENAI_API_KEY'],
    [['A_TOKEN', 'B_KEY'], 'the keys A_TOKEN and B_KEY'],
    [['OPENAI_BASE_URL'], 'the address OPENAI_BASE_URL'],
    [
      ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
      'the key OPENAI_API_KEY and the address OPENAI_BASE_URL',
    ],
    [['AWS_REGION', 'CLAUDE_CONFIG_DIR'], 'the variables AWS_REGION and CLAUDE_CONFIG_DIR'],
  ];
  for (const [names, expected] of cases)
    test(expected, () => assert.equal(describeVariables(names), expected));
});

describe('what the setup of a run reads', () => {
  const withSetup = {
    settings: { ...submission.settings, setup: { command: ['npm', 'ci'] } },
  } as unknown as Submission;
  const owner = { HOME: '/home/me', PIP_CERT: '/old.pem', REQUESTS_CA_BUNDLE: '/old-too.pem' };
  const read = (environments: RunEnvironments): Variables => {
    const { HOME, PIP_CERT, REQUESTS_CA_BUNDLE } = environments.setupVariablesOf('run-1');
    return { HOME, PIP_CERT, REQUESTS_CA_BUNDLE };
  };

  test('is that of its shell, and a variable that its shell lacks is not set', () => {
    const environments = new RunEnvironments(owner);
    environments.giveTo(withSetup, { PIP_CERT: '/new.pem', SOMETHING: 'else' })('run-1');
    assert.deepEqual(read(environments), {
      HOME: '/home/me',
      PIP_CERT: '/new.pem',
      REQUESTS_CA_BUNDLE: undefined,
    });
    assert.equal(environments.setupVariablesOf('run-1')['SOMETHING'], undefined);
    environments.giveTo(withSetup, {})('run-1');
    assert.equal(read(environments)['PIP_CERT'], undefined);
  });

  test('is that of the owner if no shell gave it', () => {
    const environments = new RunEnvironments(owner);
    environments.giveTo(withSetup, undefined)('run-1');
    assert.deepEqual(read(environments), owner);
  });

  test('never contains the key of an agent that another shell gave', () => {
    const environments = new RunEnvironments({});
    environments.giveTo(withSetup, { ...mine, PIP_CERT: '/new.pem' })('run-1');
    assert.deepEqual(environments.setupVariablesOf('run-1'), { PIP_CERT: '/new.pem' });
  });
});

test('a run that another run starts has the keys of that run', () => {
  const all = new RunEnvironments(other);
  all.giveTo(submission, mine)('parent');
  all.inherit('child', 'parent');
  all.inherit('orphan', 'nothing');
  assert.equal(all.credentialsOf('child', { given })[NAME], 'of the shell');
  assert.deepEqual([all.has('child'), all.has('orphan')], [true, false]);
});
