import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../base/errors.ts';
import type { Rule } from '../protocol/life-rules.ts';
import { Supervisor } from '../supervision/index.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { WatchedAgents } from '../testing/watched-agents.ts';
import { Deeds } from './deeds.ts';
import { violationsChild } from './violations-monitor.ts';

const push: Rule = {
  name: 'no push',
  action: 'log',
  when: { kind: 'command', words: ['git', 'push'] },
};
const MINUTE = 60_000;

class Stage {
  readonly clock = new ManualClock();
  readonly deeds = new Deeds();
  readonly agents = new WatchedAgents();
  readonly seen: string[] = [];
  readonly said: string[] = [];

  start(): Promise<Supervisor> {
    const child = violationsChild({
      clock: this.clock,
      deeds: this.deeds,
      agents: this.agents,
      limits: ['/home/me/.supervisor/config.yaml', '/home/me/.supervisor/roles'],
      say: (note) => void this.said.push(note),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  async pushes(run: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n += 1)
      this.deeds.tell(run as never, { kind: 'command', argv: ['git', 'push'] });
    await settle();
  }
}

describe('the violations monitor', () => {
  const actions: [Rule['action'], told: string[]][] = [
    ['log', []],
    ['notify', ['a matter violation']],
    ['warn', ['a message']],
    ['pause', ['a pause', 'a matter violation']],
    ['reap', ['a dismiss']],
  ];
  for (const [action, told] of actions)
    test(`writes it down, and does as the rule says: ${action}`, async () => {
      const stage = new Stage();
      const supervisor = await stage.start();
      stage.agents.add('a', { violations: [{ ...push, action }] });
      await stage.pushes('a');
      assert.deepEqual(stage.agents.told(), ['a violation no push 1', ...told]);
      await supervisor.stop();
      assert.equal(stage.clock.sleeping, 0);
    });

  test('what sets an agent’s limits is not for it to write, whatever its rules say', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const lax: Rule = { name: 'lax', action: 'log', when: { kind: 'outside', folders: [] } };
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, { violations: [lax] });
    stage.deeds.tell('a' as never, { kind: 'write', path: '/app/.supervisor/config.yaml' });
    stage.deeds.tell('b' as never, { kind: 'write', path: '/home/me/.supervisor/roles/x.yaml' });
    stage.deeds.tell('c' as never, { kind: 'write', path: '/home/me/.supervisor/outputs/x' });
    await settle();
    assert.deepEqual(stage.agents.told(), [
      'a violation self-modification 1',
      'a dismiss',
      'b violation self-modification 1',
      'b dismiss',
      'c violation lax 1',
    ]);
    await supervisor.stop();
  });

  test('looks at all that a turn has changed, however much it is', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a');
    const many = Array.from({ length: 20_000 }, (_, index) => `/app/src/${index}.ts`);
    const paths = [...many, '/app/.supervisor/config.yaml'];
    stage.deeds.tell('a' as never, { kind: 'changed', paths });
    await settle();
    assert.deepEqual(stage.agents.told(), ['a violation self-modification 1', 'a dismiss']);
    await supervisor.stop();
  });

  test('counts children, and says so when there are more', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const rule: Rule = {
      name: 'children',
      action: 'notify',
      when: { kind: 'too-many-children', max: 1 },
    };
    stage.agents.add('a', { violations: [rule] });
    stage.agents.add('b', { parent: 'a' });
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.agents.told(), []);
    stage.agents.add('c', { parent: 'a' });
    await stage.clock.advance(10 * MINUTE);
    assert.deepEqual(stage.agents.told(), ['a violation children 1', 'a matter violation']);
    await supervisor.stop();
  });

  test('a storm is written down a few times, and counted', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [{ ...push, action: 'notify' }] });
    for (let second = 0; second < 60; second += 1) {
      await stage.pushes('a', 17);
      await stage.clock.advance(1000);
    }
    const facts = stage.agents.told().filter((word) => word.startsWith('a violation'));
    assert.equal(facts.length, 16); // ten, and each doubling up to 512
    assert.equal(facts.at(-1), 'a violation no push 512');
    assert.match(stage.said.at(-1) ?? '', /1020 violations$/);
    await supervisor.stop();
  });

  test('who does more at once than can be looked at is told of', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [push] });
    await stage.pushes('a', 12_000);
    await stage.clock.advance(MINUTE);
    assert.ok(stage.agents.told().includes('a violation flood 1'));
    assert.ok(stage.agents.signals.length < 40);
    await supervisor.stop();
  });

  test('an agent that has ended meanwhile is no fault', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [{ ...push, action: 'reap' }] });
    stage.agents.faults = [new Refusal({ code: 'run.already-ended', message: 'it has ended' })];
    await stage.pushes('a', 2);
    assert.deepEqual(stage.agents.told(), ['a violation no push 2', 'a dismiss']);
    assert.deepEqual(stage.seen, ['started violations']);
    await supervisor.stop();
  });

  test('that fails is restarted, and watches on', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [push] });
    stage.agents.faults = [new Error('the journal is gone')];
    await stage.pushes('a');
    await stage.pushes('a');
    assert.deepEqual(stage.agents.told(), ['a violation no push 1']);
    assert.deepEqual(stage.seen.slice(1), [
      'exited violations',
      'restarting violations',
      'started violations',
    ]);
    await supervisor.stop();
  });
});
