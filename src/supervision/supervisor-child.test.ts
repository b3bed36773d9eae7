import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import type { ChildSpec } from './child.ts';
import { DynamicSupervisor } from './dynamic-supervisor.ts';
import { supervisorChild } from './supervisor-child.ts';
import { Supervisor } from './supervisor.ts';

const none = { restartsMax: 0, withinMs: 1000 };

class Tree {
  readonly clock = new ManualClock();
  readonly cast = new FakeChildren();
  readonly ports = { clock: this.clock, observe: this.cast.observe };

  branch(more: Omit<Partial<ChildSpec>, 'type' | 'start'> = {}): ChildSpec {
    const children = [this.cast.spec('leaf'), this.cast.spec('twig', {}, 'stubborn')];
    return supervisorChild({ id: 'branch', ...more }, (signal) =>
      Supervisor.start({ intensity: none, children }, this.ports, signal),
    );
  }
}

describe('a supervisor under another', () => {
  test('escalates: it ends, and its parent restarts all of it', async () => {
    const tree = new Tree();
    const root = await Supervisor.start(
      { children: [tree.cast.spec('trunk'), tree.branch()] },
      tree.ports,
    );
    tree.cast.told();
    tree.cast.end('leaf');
    await tree.clock.advance(5000);
    assert.deepEqual(tree.cast.told(), [
      'exited leaf failed',
      'killed twig',
      'exited branch shutdown',
      'restarting branch',
      'started leaf',
      'started twig',
      'started branch',
    ]);
    tree.cast.end('leaf');
    await tree.clock.advance(10_000);
    assert.equal((await root.ended).why, 'too-many-restarts');
  });

  test('that is transient stays down when it gave up, as in OTP', async () => {
    const tree = new Tree();
    const children = [tree.branch({ restart: 'transient' })];
    const root = await Supervisor.start({ children }, tree.ports);
    tree.cast.end('leaf');
    await tree.clock.advance(5000);
    assert.deepEqual(await root.countChildren(), {
      specs: 1,
      active: 0,
      workers: 0,
      supervisors: 1,
    });
    await root.stop();
  });

  test('is waited for until its children have exited', async () => {
    const tree = new Tree();
    const root = await Supervisor.start({ children: [tree.branch()] }, tree.ports);
    tree.cast.told();
    const ending = root.stop();
    await tree.clock.advance(5000);
    await ending;
    assert.deepEqual(tree.cast.told(), [
      'killed twig',
      'stopped leaf shutdown',
      'stopped branch shutdown',
    ]);
  });

  test('is killed with all its descendants', async () => {
    const tree = new Tree();
    const root = await Supervisor.start({ children: [tree.branch()] }, tree.ports);
    tree.cast.told();
    await root.kill();
    assert.deepEqual(tree.cast.told(), ['killed twig', 'killed leaf', 'killed branch']);
  });

  test('may be dynamic, and callable by the code that started it', async () => {
    const tree = new Tree();
    let pool: DynamicSupervisor<string> | undefined;
    const template = { id: 'w', start: async (color: string) => tree.cast.start(color) };
    const child = supervisorChild({ id: 'pool' }, async (signal) => {
      pool = await DynamicSupervisor.start<string>({ template }, tree.ports, signal);
      return pool;
    });
    const root = await Supervisor.start({ children: [child] }, tree.ports);
    assert.equal(await pool?.startChild('red'), 'w-1');
    await root.stop();
    assert.deepEqual(tree.cast.told(), [
      'started pool',
      'started w-1',
      'stopped w-1 shutdown',
      'stopped pool shutdown',
    ]);
  });

  test('that fails to start is a failed start of a child', async () => {
    const tree = new Tree();
    tree.cast.failNext('twig', 1);
    await assert.rejects(Supervisor.start({ children: [tree.branch()] }, tree.ports), {
      name: 'Refusal',
    });
    await settle();
    assert.deepEqual(tree.cast.told(), [
      'started leaf',
      'start-failed twig',
      'stopped leaf shutdown',
      'start-failed branch',
    ]);
  });
});
