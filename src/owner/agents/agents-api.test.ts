import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { runStream } from '../../protocol/streams.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { AgentView, SpawnRequest } from '../../protocol/views/agent-view.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { TestOwner } from '../../../test/support/test-owner.ts';
import { openTestOwner, testOwner } from '../../../test/support/test-owner.ts';

const WITHIN_MS = 120_000;

class ApiHarness implements AsyncDisposable {
  readonly at: TestOwner;

  private constructor(at: TestOwner) {
    this.at = at;
  }

  static async open(config = ''): Promise<ApiHarness> {
    return new ApiHarness(await testOwner(config));
  }

  get project(): string {
    return join(this.at.dir, 'shop');
  }

  async spawn(name: string, more: Partial<SpawnRequest> = {}): Promise<AgentView> {
    const { project } = this;
    await mkdir(more.project ?? project, { recursive: true });
    const request = { assignment: `be ${name}`, project, name, agent: 'scripted:never-speaks' };
    return this.at.owner.agents.spawn({ ...request, ...more });
  }

  async refusal(request: Promise<unknown>): Promise<string> {
    const error = await request.then(
      () => assert.fail('the request was accepted'),
      (thrown: unknown) => thrown,
    );
    assert.ok(isRefusal(error), String(error));
    return `${error.data.code}: ${error.message}`;
  }

  async until(name: string, isReached: (view: AgentView) => boolean): Promise<AgentView> {
    const { agents } = this.at.owner;
    await eventually(name, () => isReached(agents.view(name, this.project)), WITHIN_MS);
    return agents.view(name, this.project);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}

describe('the API of long-lived agents', { timeout: 5 * WITHIN_MS }, () => {
  test('spawns an agent, starts it, and lists it with its parent', async () => {
    await using harness = await ApiHarness.open();
    const lead = await harness.spawn('lead', { kind: 'root' });
    const worker = await harness.spawn('worker');
    assert.deepEqual(worker.parent, { run: lead.run, name: 'lead' }); // the root is the default parent
    const working = await harness.until('worker', ({ state }) => state === 'working');
    assert.deepEqual(
      [working.life, working.supervisor, working.visibility],
      [1, 'agents/pool', 'badge'],
    );
    assert.equal((await harness.until('lead', ({ life }) => life === 1)).supervisor, 'agents');
  });

  test('bug of old: no parent links', async () => {
    await using harness = await ApiHarness.open();
    const top = await harness.spawn('top');
    const middle = await harness.spawn('middle', { parent: 'top' });
    const { parent } = await harness.spawn('low', { parent: middle.run });
    assert.deepEqual(parent, { run: middle.run, name: 'middle' });
    assert.deepEqual(middle.parent, { run: top.run, name: 'top' });
  });

  test('bug of old: dismiss removes the body', async () => {
    await using harness = await ApiHarness.open();
    const { run } = await harness.spawn('brief');
    await harness.until('brief', ({ life }) => life === 1);
    await harness.at.owner.agents.dismiss('brief', 'no longer wanted', harness.project);
    const body = await harness.until('brief', ({ outcome }) => outcome !== null);
    assert.deepEqual([body.run, body.ended, body.outcome?.kind], [run, true, 'cancelled']);
    const { nodes } = harness.at.owner.tree();
    assert.equal(nodes.find(({ agent }) => agent?.run === run)?.name, 'brief');
    assert.equal((await harness.at.owner.run(body.run as never)).outcome?.kind, 'cancelled');
  });

  test('bug of old: a new project shows the agents of the previous one', async () => {
    await using harness = await ApiHarness.open();
    const other = join(harness.at.dir, 'other');
    await harness.spawn('mine');
    await harness.spawn('mine', { project: other }); // a name is unique only within a project
    const { agents } = harness.at.owner;
    assert.deepEqual(
      agents.list(other).map(({ name, project }) => `${name} ${project}`),
      [`mine ${other}`],
    );
    assert.equal(agents.view('mine', other).project, other);
  });

  test('refuses impossible requests, each with its reason', async () => {
    await using harness = await ApiHarness.open('tree: {depth_max: 2, children_max: 1}\n');
    const { agents } = harness.at.owner;
    await harness.spawn('a');
    const refusal = async (request: Promise<unknown>): Promise<string> =>
      (await harness.refusal(request)).replaceAll(/\b[0-9a-f]{10}\b/g, 'ID');
    assert.equal(
      await refusal(harness.spawn('a')),
      'agent.name-taken: An agent with the name a exists already (ID).',
    );
    assert.match(await refusal(harness.spawn('A b')), /^request.invalid: name: expected a name of/);
    assert.match(
      await refusal(harness.spawn('b', { parent: 'nobody' })),
      /^agent.not-found: There is no agent "nobody"/,
    );
    await harness.spawn('b', { parent: 'a' });
    assert.equal(
      await refusal(harness.spawn('c', { parent: 'a' })),
      'agent.too-many: a has 1 child, and the limit is 1.',
    );
    assert.equal(
      await refusal(harness.spawn('c', { parent: 'b' })),
      'agent.too-many: The agent would be at depth 3, and the limit is 2.',
    );
    assert.match(await refusal(harness.spawn('d', { agent: 'nobody' })), /^agent.unknown: /);
    assert.match(
      await refusal(harness.spawn('d', { commitments: [{ what: 'x', command: '"open' }] })),
      /^usage.invalid: .* is not a command/,
    );
    await agents.dismiss('a', undefined, harness.project);
    await harness.until('a', ({ ended }) => ended);
    assert.match(
      await refusal(agents.send('a', 'hello', harness.project)),
      /^agent.ended: The agent a \(ID\) has ended/,
    );
    assert.match(await refusal(harness.spawn('e', { parent: 'a' })), /^agent.ended: /);
    await harness.spawn('a'); // the name of an ended agent is free
  });

  test('dismisses all descendants of an agent that ended', async () => {
    await using harness = await ApiHarness.open();
    await harness.spawn('parent');
    await harness.spawn('child', { parent: 'parent' });
    await harness.spawn('grandchild', { parent: 'child' });
    await harness.at.owner.agents.dismiss('parent', 'enough', harness.project);
    const last = await harness.until('grandchild', ({ outcome }) => outcome !== null);
    assert.equal(last.outcome?.kind, 'cancelled');
    assert.equal(harness.at.owner.agents.living().length, 0);
  });

  test('gives a child no more than its parent has left', async () => {
    await using harness = await ApiHarness.open();
    await harness.spawn('rich', { budgetUsd: 5 });
    const { agents } = harness.at.owner;
    assert.match(
      await harness.refusal(harness.spawn('poor', { parent: 'rich' })),
      /^agent.grant-too-wide: .*its parent has 5 usd left, so the child needs its own cap/,
    );
    await harness.spawn('first', { parent: 'rich', budgetUsd: 3 });
    assert.match(
      await harness.refusal(harness.spawn('second', { parent: 'rich', budgetUsd: 3 })),
      /its parent has 2 usd left, not 3/,
    );
    await agents.dismiss('first', undefined, harness.project);
    await harness.until('first', ({ outcome }) => outcome !== null);
    await harness.spawn('second', { parent: 'rich', budgetUsd: 3 }); // what the child did not spend returned to its parent
  });

  test('starts a child without a sandbox only if its parent has none', async () => {
    await using harness = await ApiHarness.open();
    await harness.spawn('walled');
    assert.match(
      await harness.refusal(harness.spawn('free', { parent: 'walled', unsafe: true })),
      /^agent.grant-too-wide: .*its parent has a sandbox/,
    );
    const { run } = await harness.spawn('bare', { unsafe: true });
    const child = await harness.spawn('child', { parent: 'bare' });
    const { agents, journal } = harness.at.owner;
    for (const one of [run, child.run]) {
      const [first] = await journal.readStream(runStream(one), { after: 0, limit: 1 });
      assert.ok(first?.type === 'run.submitted');
      assert.equal(first.payload.settings['unsafe'], true);
    }
    for (const name of ['walled', 'bare']) await agents.dismiss(name, undefined, harness.project);
  });

  test('does not start an agent whose CLI is missing, and the refusal says why', async () => {
    await using harness = await ApiHarness.open();
    const refusal = await harness.refusal(
      harness.spawn('far', { agent: 'opencode', set: ['sandbox.backend=seatbelt'] }),
    );
    assert.match(refusal, /^agent.preflight-failed: The agent far is not started: /);
    assert.equal(harness.at.owner.agents.list().length, 0);
    const { run } = await harness.spawn('parent');
    const child = { agent: 'opencode', parent: 'parent', set: ['sandbox.backend=seatbelt'] };
    await harness.refusal(harness.spawn('far', child));
    const facts = await harness.at.owner.journal.readStream(`run/${run}`, { after: 0, limit: 100 });
    const messages = facts.flatMap((fact) =>
      fact.type === 'signal.received' && fact.payload.signal.kind === 'message'
        ? [`${fact.payload.signal.from}: ${fact.payload.signal.text}`]
        : [],
    );
    assert.match(messages.join(), /^far: The agent far is not started: /); // the parent is notified
  });
});

const TREE = `
tree:
  children:
    - {name: lead, kind: root, assignment: lead, agent: 'scripted:never-speaks'}
    - name: team
      strategy: one_for_all
      children:
        - {name: web, assignment: serve, agent: 'scripted:never-speaks'}
        - {name: db, assignment: keep, agent: 'scripted:never-speaks'}
`;

describe('declared agents', { timeout: 5 * WITHIN_MS }, () => {
  test('reach the hosts of their parent, or fewer', async () => {
    const hosts = (lead: string, web: string): string => `
sandbox: {network: [a.example, b.example:8443]}
tree:
  children:
    - {name: lead, kind: root, assignment: lead, agent: 'scripted:never-speaks'${lead}}
    - {name: web, assignment: serve, agent: 'scripted:never-speaks'${web}}
`;
    const only = (name: string): string => `, sandbox: {network: [${name}]}`;
    await using harness = await ApiHarness.open(hosts(only('a.example'), only('b.example:8443')));
    await mkdir(harness.project);
    const { agents } = harness.at.owner;
    assert.match(
      await harness.refusal(agents.declare(harness.project)),
      /^agent.grant-too-wide: .*its parent may not reach b\.example:8443/,
    );
    await writeFile(join(harness.at.dir, 'config.yaml'), hosts(only('a.example'), ''));
    await agents.declare(harness.project);
    const { run } = await harness.spawn('third');
    const granted = await Promise.all(
      [agents.view('web', harness.project).run, run].map(async (one) => {
        const [first] = await harness.at.owner.journal.readStream(runStream(one), {
          after: 0,
          limit: 1,
        });
        assert.ok(first?.type === 'run.submitted');
        return (first.payload.settings as { longLived?: LongLivedSettings }).longLived?.grant.hosts;
      }),
    );
    assert.deepEqual(granted, [['a.example:443'], ['a.example:443']]);
  });

  test('start once, under the declared supervisors, and are not changed by a second declaration', async () => {
    await using harness = await ApiHarness.open(TREE);
    await mkdir(harness.project);
    const { agents } = harness.at.owner;
    const first = await agents.declare(harness.project);
    assert.deepEqual(
      first.started.map(({ name, supervisor, parent }) => `${name} ${supervisor} ${parent?.name}`),
      ['lead agents undefined', 'web agents/team lead', 'db agents/team lead'],
    );
    const again = await agents.declare(harness.project);
    assert.deepEqual(again, { started: [], unchanged: ['lead', 'web', 'db'], changed: [] });
    await writeFile(join(harness.at.dir, 'config.yaml'), TREE.replace('serve', 'serve well'));
    assert.deepEqual((await agents.declare(harness.project)).changed, ['web']);
    await agents.dismiss('web', undefined, harness.project);
    await harness.until('web', ({ outcome }) => outcome !== null);
    const { started } = await agents.declare(harness.project);
    assert.deepEqual(
      started.map(({ assignment }) => assignment),
      ['serve well'],
    );
  });

  test('are resumed by the next owner and not started twice', async () => {
    await using harness = await ApiHarness.open(TREE);
    await mkdir(harness.project);
    await harness.at.owner.agents.declare(harness.project);
    for (const name of ['lead', 'web', 'db']) await harness.until(name, ({ life }) => life === 1);
    const before = harness.at.owner.agents.list();
    await harness.at.owner.close('the test restarts the owner');
    const next = await openTestOwner(harness.at.dir);
    try {
      const again = await next.agents.declare(harness.project);
      assert.deepEqual([again.started, again.unchanged], [[], ['lead', 'web', 'db']]);
      const summary = (views: readonly AgentView[]): unknown =>
        views.map(({ run, name, life, supervisor }) => [run, name, life, supervisor]);
      assert.deepEqual(summary(next.agents.list()), summary(before));
    } finally {
      await next.close('the test is over');
    }
  });
});
