import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { FakeChildren, FakeChild } from '../testing/fakes/fake-child.ts';
import type { ChildSpec } from './child.ts';
import { Supervisor } from './supervisor.ts';

/** A child that computes each output from all its inputs, by `make`. */
type Maker = {
  readonly id: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
};

class Workshop {
  readonly cast = new FakeChildren();
  readonly content: Record<string, string> = {};
  /** Computes an output; by default, a different one for each input. */
  make: (name: string, inputs: readonly string[]) => string = (name, inputs) =>
    `${name}(${inputs.join(',')})`;

  spec({ id, consumes, produces }: Maker): ChildSpec {
    return {
      id,
      consumes,
      produces,
      start: async () => {
        const inputs = consumes.map((name) => this.content[name] ?? 'none');
        const made = produces.map((name) => [name, this.make(name, inputs)] as const);
        Object.assign(this.content, Object.fromEntries(made));
        return {
          kind: 'started',
          child: new FakeChild(),
          produced: Object.fromEntries(made),
        };
      },
    };
  }

  async open(makers: readonly Maker[]): Promise<Supervisor> {
    const ports = { clock: new ManualClock(), observe: this.cast.observe };
    const children = makers.map((maker) => this.spec(maker));
    const supervisor = await Supervisor.start({ children }, ports);
    this.cast.told();
    return supervisor;
  }

  /** The children that the change restarted, in order. */
  async change(supervisor: Supervisor, name: string, content: string): Promise<readonly string[]> {
    this.content[name] = content;
    await supervisor.publish({ [name]: content });
    return this.cast.told().flatMap((line) => /^started (.*)/.exec(line)?.[1] ?? []);
  }
}

const chain: readonly Maker[] = [
  { id: 'schema', consumes: ['design'], produces: ['types'] },
  { id: 'stranger', consumes: [], produces: ['noise'] },
  { id: 'server', consumes: ['types'], produces: ['api'] },
  { id: 'client', consumes: ['api', 'style'], produces: [] },
];

describe('a change of content', () => {
  const cases: [why: string, name: string, content: string, restarted: string[]][] = [
    ['restarts the consumers and theirs', 'design', 'new', ['schema', 'server', 'client']],
    ['restarts no other child', 'style', 'new', ['client']],
    ['that no child consumes restarts none', 'weather', 'rain', []],
    ['to the same hash restarts none', 'design', 'old', []],
  ];
  for (const [why, name, content, restarted] of cases) {
    test(why, async () => {
      const workshop = new Workshop();
      workshop.content['design'] = 'old';
      const supervisor = await workshop.open(chain);
      await workshop.change(supervisor, 'design', 'old'); // now it is published
      assert.deepEqual(await workshop.change(supervisor, name, content), restarted);
      await supervisor.stop();
    });
  }

  test('spreads only while content really changes', async () => {
    const workshop = new Workshop();
    workshop.make = (name) => name; // the output does not depend on the inputs
    const supervisor = await workshop.open(chain);
    assert.deepEqual(await workshop.change(supervisor, 'design', 'new'), ['schema']);
    await supervisor.stop();
  });

  test('by a producer that crashed and restarted with another output restarts its consumers', async () => {
    const workshop = new Workshop();
    const producer = workshop.spec({ id: 'a', consumes: [], produces: ['x'] });
    const lives: FakeChild[] = [];
    let version = 0;
    const children: ChildSpec[] = [
      {
        ...producer,
        start: async () => {
          const child = new FakeChild();
          lives.push(child);
          return { kind: 'started', child, produced: { x: `${(version += 1)}` } };
        },
      },
      workshop.spec({ id: 'b', consumes: ['x'], produces: [] }),
    ];
    const ports = { clock: new ManualClock(), observe: workshop.cast.observe };
    const supervisor = await Supervisor.start({ children }, ports);
    workshop.cast.told();
    lives[0]?.end({ kind: 'failed', reason: 'boom' });
    await ports.clock.advance(0);
    assert.deepEqual(workshop.cast.told(), [
      'exited a failed',
      'restarting a',
      'started a',
      'stopped b shutdown',
      'started b',
    ]);
    await supervisor.stop();
  });

  test('does not count against the window, and leaves temporary children alone', async () => {
    const workshop = new Workshop();
    const once = workshop.spec({ id: 'once', consumes: ['x'], produces: [] });
    const children: ChildSpec[] = [
      workshop.spec({ id: 'a', consumes: ['x'], produces: [] }),
      { ...once, restart: 'temporary' },
    ];
    const ports = { clock: new ManualClock(), observe: workshop.cast.observe };
    const intensity = { restartsMax: 0, withinMs: 1000 };
    const supervisor = await Supervisor.start({ intensity, children }, ports);
    workshop.cast.told();
    for (const content of ['1', '2', '3'])
      assert.deepEqual(await workshop.change(supervisor, 'x', content), ['a']);
    await supervisor.stop();
  });
});

/** The definition: everything reachable from the change through inputs and outputs. */
function reached(makers: readonly Maker[], name: string): readonly string[] {
  const changed = new Set([name]);
  for (let size = 0; size < changed.size;) {
    size = changed.size;
    for (const { consumes, produces } of makers)
      if (consumes.some((one) => changed.has(one))) for (const one of produces) changed.add(one);
  }
  return makers.flatMap(({ id, consumes }) => (consumes.some((one) => changed.has(one)) ? id : []));
}

test('in any graph a change restarts exactly the children it reaches, in start order', async () => {
  const makers = fc
    .array(fc.tuple(fc.array(fc.nat(11), { maxLength: 3 }), fc.nat(2)), { maxLength: 8 })
    .map((given) =>
      given.map(([inputs, outputs], index): Maker => {
        // Things 0 to 2 come from outside; the n-th child produces 3n, 3n+1 and 3n+2.
        const consumes = inputs.filter((input) => input < 3 * (index + 1)).map((n) => `t${n}`);
        const produces = Array.from({ length: outputs }, (_, n) => `t${3 * (index + 1) + n}`);
        return { id: `c${index}`, consumes: [...new Set(consumes)], produces };
      }),
    );
  await fc.assert(
    fc.asyncProperty(makers, fc.nat(2), async (given, source) => {
      const workshop = new Workshop();
      const supervisor = await workshop.open(given);
      const restarted = await workshop.change(supervisor, `t${source}`, 'new');
      assert.deepEqual(restarted, reached(given, `t${source}`));
      await supervisor.stop();
    }),
  );
});
