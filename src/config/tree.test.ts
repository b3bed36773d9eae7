import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SCRIPTED_LIST } from '../adapters/scripted/scripted-programs.ts';
import { isRefusal } from '../base/errors.ts';
import type { TreeSettings } from '../settings/tree-config.ts';
import { TrustedProject } from '../trust/trusted-project.ts';
import { loadSettings } from './load-settings.ts';

async function load(user: string, project = ''): Promise<TreeSettings> {
  const files = new Map([['/h/config.yaml', user]]);
  const { settings } = await loadSettings({
    home: '/h',
    project: TrustedProject.fromTexts('/p', { 'config.yaml': project }),
    userDir: '/u',
    readFile: (path) => Promise.resolve(files.get(path)),
  });
  return settings.tree;
}

async function refusal(text: string): Promise<string> {
  const error = await load(text).catch((thrown: unknown) => thrown);
  return isRefusal(error, 'config.invalid') ? error.message : 'accepted';
}

describe('a declared tree', () => {
  test('is empty by default', async () => {
    assert.deepEqual(await load(''), { places: [], agents: [], depthMax: 4, childrenMax: 100 });
  });

  test('lists supervisors and agents from the top, in start order', async () => {
    const { places, agents } = await load(`
tree:
  children:
    - {name: root, kind: root, assignment: lead}
    - name: team
      strategy: rest_for_one
      intensity: {restarts: 2, within: 1m}
      children:
        - {name: db, assignment: keep the schema}
        - name: web
          children: [{name: api, kind: drone, assignment: serve}]
        - {name: docs, assignment: write}
`);
    assert.deepEqual(
      places.map((place) =>
        place.type === 'agent'
          ? place.path
          : `${place.path} ${place.strategy} ${place.restartsMax}/${place.withinMs}`,
      ),
      [
        'root',
        'team rest-for-one 2/60000',
        'team/db',
        'team/web one-for-one 3/300000',
        'team/web/api',
        'team/docs',
      ],
    );
    assert.deepEqual(
      agents.map(({ path, request }) => `${path} ${request.kind}`),
      ['root root', 'team/db mortal', 'team/web/api drone', 'team/docs mortal'],
    );
  });

  test('has the complete request for each agent, with one unit per field', async () => {
    const { agents } = await load(`
sandbox: {network: [docs.example, other.example:8443]}
tree:
  children:
    - name: worker
      assignment: work
      agent: scripted:crashes
      models: [small, large]
      commitments: [{what: tests pass, command: [npm, test]}]
      queue: {dir: ~/tasks, on_empty: hibernate}
      budget: {usd: 2.5, wall_s: 60}
      sandbox: {mounts: [{path: ~/data}], memory: 1GB, network: [docs.example]}
      restart: {type: permanent, restarts: 7, within: 1h, backoff_base: 1s, backoff_max: 1m}
      health: {spin_calls: 5, on_spin: reap, inactivity: {after: 10m}}
      violations:
        - {name: stay-inside, outside: [./src], action: pause}
        - {name: no-push, command: [git, push]}
      workspace: {crashed: discard}
      flags: {perseverance: true}
`);
    const { request } = agents[0] ?? assert.fail('no agent');
    assert.deepEqual(
      [request.agent, request.onDone, request.triggers.models],
      ['scripted:crashes', 'next', ['small', 'large']],
    );
    assert.deepEqual(request.commitments, [{ what: 'tests pass', command: ['npm', 'test'] }]);
    assert.deepEqual(request.queue, { dir: '/u/tasks', onEmpty: 'hibernate' });
    assert.deepEqual(request.budget, { usd: 2.5, tokens: null, calls: null, wallMs: 60_000 });
    assert.deepEqual(request.sandbox, {
      mounts: [{ from: '/u/data', to: '/u/data', mode: 'ro' }],
      toolchains: null,
      hosts: ['docs.example:443'],
      memoryBytes: 1_000_000_000,
      cpus: null,
      pids: null,
    });
    assert.deepEqual(request.restart, {
      type: 'permanent',
      restartsMax: 7,
      withinMs: 3_600_000,
      backoffBaseMs: 1000,
      backoffMaxMs: 60_000,
    });
    assert.deepEqual(request.health.inactivity, { afterMs: 600_000, action: 'prod' });
    assert.deepEqual(request.violations, [
      { name: 'stay-inside', action: 'pause', when: { kind: 'outside', folders: ['./src'] } },
      { name: 'no-push', action: 'notify', when: { kind: 'command', words: ['git', 'push'] } },
    ]);
    assert.deepEqual(
      [request.triggers.workspace.crashed, request.triggers.workspace.spinning],
      ['discard', 'discard'],
    );
    assert.deepEqual(request.flags, { perseverance: true, userPresent: false });
  });

  test("the project's children come after the user's", async () => {
    const one = (name: string): string => `tree: {children: [{name: ${name}, assignment: work}]}`;
    const { places } = await load(one('mine'), one('ours'));
    assert.deepEqual(
      places.map(({ path }) => path),
      ['mine', 'ours'],
    );
  });

  const inTree = (child: string): string => `tree:\n  children:\n    - ${child}`;
  const refused: [why: string, text: string, message: string][] = [
    [
      'an unknown key',
      inTree('{name: a, asignment: work}'),
      '3:7: tree.children[0] has no assignment: expected either an assignment, for an agent, or children, for a supervisor\n' +
        '/h/config.yaml:3:17: unknown key "asignment" in tree.children[0] (did you mean "assignment"?)',
    ],
    [
      'an unknown key in a nested child',
      inTree('{name: t, children: [{name: a, assignment: w, helth: {}}]}'),
      '3:53: unknown key "helth" in tree.children[0].children[0] (did you mean "health"?)',
    ],
    [
      'neither an agent nor a supervisor',
      inTree('{name: a}'),
      '3:7: tree.children[0] has no assignment: expected either an assignment, for an agent, or children, for a supervisor',
    ],
    [
      'both an agent and a supervisor',
      inTree('{name: a, assignment: work, children: []}'),
      '3:29: tree.children[0].assignment: expected either an assignment, for an agent, or children, for a supervisor, found "work"',
    ],
    [
      'an agent with a strategy',
      inTree('{name: a, assignment: work, strategy: one_for_all}'),
      '3:7: tree.children[0] has no children: expected children, because it has a strategy or an intensity',
    ],
    [
      'a flag that had no effect',
      inTree('{name: a, assignment: work, flags: {background: true}}'),
      '3:43: unknown key "background" in tree.children[0].flags',
    ],
    [
      'an unknown strategy',
      inTree('{name: t, strategy: one-for-all, children: []}'),
      '3:27: tree.children[0].strategy: expected one of one_for_one, one_for_all, rest_for_one, found "one-for-all"',
    ],
    [
      'a rule without a condition',
      inTree('{name: a, assignment: w, violations: [{name: r}]}'),
      '3:45: tree.children[0].violations[0]: expected exactly one of outside, self_modification, over_budget, children_max, unknown_host, command, found keys with values',
    ],
    [
      'a name that is taken',
      inTree('{name: a, children: [{name: a, assignment: w}]}'),
      '3:35: tree.children[0].children[0].name: the name "a" is already taken at /h/config.yaml:3:14',
    ],
    [
      'a second root',
      `${inTree('{name: a, kind: root, assignment: w}')}\n    - {name: b, kind: root, assignment: w}`,
      '4:23: tree.children[1].kind: there is already a root at /h/config.yaml:3:23',
    ],
    [
      'a host that the project does not allow',
      `${inTree('{name: a, assignment: w, sandbox: {network: [b.example, c.example]}}')}\nsandbox: {network: [b.example:443, c.example:8443]}`,
      '3:63: tree.children[0].sandbox.network[1]: "c.example" is not in sandbox.network, the hosts that the agents of the project can reach',
    ],
    [
      'an address in place of a host',
      'sandbox: {network: [10.0.0.1]}',
      '1:21: sandbox.network[0]: expected the name of a host in lowercase letters, with or without :port, found "10.0.0.1"',
    ],
    [
      'an unknown agent',
      inTree('{name: a, assignment: w, agent: clade}'),
      '3:39: tree.children[0].agent: no agent is called "clade" (did you mean "claude"?)',
    ],
    [
      'an unknown scripted agent',
      inTree('{name: a, assignment: w, agent: "scripted:nope"}'),
      `3:39: tree.children[0].agent: no scripted agent is called "scripted:nope"; use ${SCRIPTED_LIST}`,
    ],
  ];
  for (const [why, text, message] of refused) {
    test(`refused: ${why}`, async () => {
      assert.equal(await refusal(text), `/h/config.yaml:${message}`);
    });
  }
});
