import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { runStream } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { AgentView, SpawnRequest } from '../../protocol/views/agent-view.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { TestOwner } from '../../../test/support/test-owner.ts';
import { openTestOwner, testOwner } from '../../../test/support/test-owner.ts';

const WITHIN_MS = 120_000;

class Room implements AsyncDisposable {
  readonly at: TestOwner;

  private constructor(at: TestOwner) {
    this.at = at;
  }

  static async open(config = ''): Promise<Room> {
    return new Room(await testOwner(config));
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

  async refusal(asked: Promise<unknown>): Promise<string> {
    const error = await asked.then(
      () => assert.fail('it was accepted'),
      (thrown: unknown) => thrown,
    );
    assert.ok(isRefusal(error), String(error));
    return `${error.data.code}: ${error.message}`;
  }

  async until(name: string, isSo: (view: AgentView) => boolean): Promise<AgentView> {
    const { agents } = this.at.owner;
    await eventually(name, () => isSo(agents.view(name, this.project)), WITHIN_MS);
    return agents.view(name, this.project);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}

describe('at the desk of long-lived agents', { timeout: 5 * WITHIN_MS }, () => {
  test('one is summoned, begins, and is listed with its parent', async () => {
    await using room = await Room.open();
    const lead = await room.spawn('lead', { kind: 'root' });
    const worker = await room.spawn('worker');
    assert.deepEqual(worker.parent, { run: lead.run, name: 'lead' }); // the root, where nobody says whose
    const working = await room.until('worker', ({ state }) => state === 'working');
    assert.deepEqual(
      [working.life, working.supervisor, working.visibility],
      [1, 'agents/pool', 'badge'],
    );
    assert.equal((await room.until('lead', ({ life }) => life === 1)).supervisor, 'agents');
  });

  test('bug of old: no parent links', async () => {
    await using room = await Room.open();
    const top = await room.spawn('top');
    const middle = await room.spawn('middle', { parent: 'top' });
    const { parent } = await room.spawn('low', { parent: middle.run });
    assert.deepEqual(parent, { run: middle.run, name: 'middle' });
    assert.deepEqual(middle.parent, { run: top.run, name: 'top' });
  });

  test('bug of old: dismiss removes the body', async () => {
    await using room = await Room.open();
    const { run } = await room.spawn('brief');
    await room.until('brief', ({ life }) => life === 1);
    await room.at.owner.agents.dismiss('brief', 'no longer wanted', room.project);
    const body = await room.until('brief', ({ outcome }) => outcome !== null);
    assert.deepEqual([body.run, body.over, body.outcome?.kind], [run, true, 'cancelled']);
    const { nodes } = room.at.owner.tree();
    assert.equal(nodes.find(({ agent }) => agent?.run === run)?.name, 'brief');
    assert.equal((await room.at.owner.run(body.run as never)).outcome?.kind, 'cancelled');
  });

  test('bug of old: a new project shows the agents of the previous one', async () => {
    await using room = await Room.open();
    const other = join(room.at.dir, 'other');
    await room.spawn('mine');
    await room.spawn('mine', { project: other }); // a name is taken once in a project
    const { agents } = room.at.owner;
    assert.deepEqual(
      agents.list(other).map(({ name, project }) => `${name} ${project}`),
      [`mine ${other}`],
    );
    assert.equal(agents.view('mine', other).project, other);
  });

  test('refused: what can not be', async () => {
    await using room = await Room.open('tree: {depth_max: 2, children_max: 1}\n');
    const { agents } = room.at.owner;
    await room.spawn('a');
    const told = async (asked: Promise<unknown>): Promise<string> =>
      (await room.refusal(asked)).replaceAll(/\b[0-9a-f]{10}\b/g, 'ID');
    assert.equal(
      await told(room.spawn('a')),
      'agent.name-taken: There is an agent a already (ID).',
    );
    assert.match(await told(room.spawn('A b')), /^request.invalid: name: expected a name of/);
    assert.match(
      await told(room.spawn('b', { parent: 'nobody' })),
      /^agent.not-found: There is no agent "nobody"/,
    );
    await room.spawn('b', { parent: 'a' });
    assert.equal(
      await told(room.spawn('c', { parent: 'a' })),
      'agent.too-many: a has 1 children, and may have 1.',
    );
    assert.equal(
      await told(room.spawn('c', { parent: 'b' })),
      'agent.too-many: It would be 3 deep, and 2 is allowed.',
    );
    assert.match(await told(room.spawn('d', { agent: 'nobody' })), /^agent.unknown: /);
    assert.match(
      await told(room.spawn('d', { commitments: [{ what: 'x', command: '"open' }] })),
      /^usage.invalid: .* is no command/,
    );
    await agents.dismiss('a', undefined, room.project);
    await room.until('a', ({ over }) => over);
    assert.match(
      await told(agents.send('a', 'hello', room.project)),
      /^agent.over: The agent a \(ID\) is over/,
    );
    assert.match(await told(room.spawn('e', { parent: 'a' })), /^agent.over: /);
    await room.spawn('a'); // the dead have no names
  });

  test('when a parent is over, its children are let go too', async () => {
    await using room = await Room.open();
    await room.spawn('parent');
    await room.spawn('child', { parent: 'parent' });
    await room.spawn('grandchild', { parent: 'child' });
    await room.at.owner.agents.dismiss('parent', 'enough', room.project);
    const last = await room.until('grandchild', ({ outcome }) => outcome !== null);
    assert.equal(last.outcome?.kind, 'cancelled');
    assert.equal(room.at.owner.agents.living().length, 0);
  });

  test('a child has no more than its parent has left', async () => {
    await using room = await Room.open();
    await room.spawn('rich', { budgetUsd: 5 });
    const { agents } = room.at.owner;
    assert.match(
      await room.refusal(room.spawn('poor', { parent: 'rich' })),
      /^agent.grant-too-wide: .*its parent has 5 usd left, so it needs a cap of its own/,
    );
    await room.spawn('first', { parent: 'rich', budgetUsd: 3 });
    assert.match(
      await room.refusal(room.spawn('second', { parent: 'rich', budgetUsd: 3 })),
      /its parent has 2 usd left, not 3/,
    );
    await agents.dismiss('first', undefined, room.project);
    await room.until('first', ({ outcome }) => outcome !== null);
    await room.spawn('second', { parent: 'rich', budgetUsd: 3 }); // what it did not spend came back
  });

  test('a child is without a sandbox only where its parent is', async () => {
    await using room = await Room.open();
    await room.spawn('walled');
    assert.match(
      await room.refusal(room.spawn('free', { parent: 'walled', unsafe: true })),
      /^agent.grant-too-wide: .*its parent has a sandbox/,
    );
    const { run } = await room.spawn('bare', { unsafe: true });
    const child = await room.spawn('child', { parent: 'bare' });
    const { agents, journal } = room.at.owner;
    for (const one of [run, child.run]) {
      const [first] = await journal.readStream(runStream(one), { after: 0, limit: 1 });
      assert.ok(first?.type === 'run.submitted');
      assert.equal(first.payload.settings['unsafe'], true);
    }
    for (const name of ['walled', 'bare']) await agents.dismiss(name, undefined, room.project);
  });

  test('one whose CLI is not here is not started, and the list says why', async () => {
    await using room = await Room.open();
    const told = await room.refusal(
      room.spawn('far', { agent: 'opencode', set: ['sandbox.backend=seatbelt'] }),
    );
    assert.match(told, /^agent.preflight-failed: The agent far is not started: /);
    assert.equal(room.at.owner.agents.list().length, 0);
    const { run } = await room.spawn('parent');
    const child = { agent: 'opencode', parent: 'parent', set: ['sandbox.backend=seatbelt'] };
    await room.refusal(room.spawn('far', child));
    const facts = await room.at.owner.journal.readStream(`run/${run}`, { after: 0, limit: 100 });
    const heard = facts.flatMap((fact) =>
      fact.type === 'signal.received' && fact.payload.signal.kind === 'message'
        ? [`${fact.payload.signal.from}: ${fact.payload.signal.text}`]
        : [],
    );
    assert.match(heard.join(), /^far: The agent far is not started: /); // its parent is told
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
  test('reach what their parent reaches, or less', async () => {
    const hosts = (lead: string, web: string): string => `
sandbox: {network: [a.example, b.example:8443]}
tree:
  children:
    - {name: lead, kind: root, assignment: lead, agent: 'scripted:never-speaks'${lead}}
    - {name: web, assignment: serve, agent: 'scripted:never-speaks'${web}}
`;
    const only = (name: string): string => `, sandbox: {network: [${name}]}`;
    await using room = await Room.open(hosts(only('a.example'), only('b.example:8443')));
    await mkdir(room.project);
    const { agents } = room.at.owner;
    assert.match(
      await room.refusal(agents.declare(room.project)),
      /^agent.grant-too-wide: .*its parent may not reach b\.example:8443/,
    );
    await writeFile(join(room.at.dir, 'config.yaml'), hosts(only('a.example'), ''));
    await agents.declare(room.project);
    const { run } = await room.spawn('third');
    const granted = await Promise.all(
      [agents.view('web', room.project).run, run].map(async (one) => {
        const [first] = await room.at.owner.journal.readStream(runStream(one), {
          after: 0,
          limit: 1,
        });
        assert.ok(first?.type === 'run.submitted');
        return (first.payload.settings as { life?: LongLivedSettings }).life?.grant.hosts;
      }),
    );
    assert.deepEqual(granted, [['a.example:443'], ['a.example:443']]);
  });

  test('come up once, where the configuration says, and stay as they are', async () => {
    await using room = await Room.open(TREE);
    await mkdir(room.project);
    const { agents } = room.at.owner;
    const first = await agents.declare(room.project);
    assert.deepEqual(
      first.started.map(({ name, supervisor, parent }) => `${name} ${supervisor} ${parent?.name}`),
      ['lead agents undefined', 'web agents/team lead', 'db agents/team lead'],
    );
    const again = await agents.declare(room.project);
    assert.deepEqual(again, { started: [], kept: ['lead', 'web', 'db'], changed: [] });
    await writeFile(join(room.at.dir, 'config.yaml'), TREE.replace('serve', 'serve well'));
    assert.deepEqual((await agents.declare(room.project)).changed, ['web']);
    await agents.dismiss('web', undefined, room.project);
    await room.until('web', ({ outcome }) => outcome !== null);
    const { started } = await agents.declare(room.project);
    assert.deepEqual(
      started.map(({ assignment }) => assignment),
      ['serve well'],
    );
  });

  test('are taken up by the next owner, and not doubled', async () => {
    await using room = await Room.open(TREE);
    await mkdir(room.project);
    await room.at.owner.agents.declare(room.project);
    for (const name of ['lead', 'web', 'db']) await room.until(name, ({ life }) => life === 1);
    const before = room.at.owner.agents.list();
    await room.at.owner.close('the first is over');
    const next = await openTestOwner(room.at.dir);
    try {
      const again = await next.agents.declare(room.project);
      assert.deepEqual([again.started, again.kept], [[], ['lead', 'web', 'db']]);
      const bare = (views: readonly AgentView[]): unknown =>
        views.map(({ run, name, life, supervisor }) => [run, name, life, supervisor]);
      assert.deepEqual(bare(next.agents.list()), bare(before));
    } finally {
      await next.close('the test is over');
    }
  });
});
