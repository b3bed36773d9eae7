/** A run that waited for a slot asks again which agents are cooling down, and waits for a limit without a slot. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { Limit } from '../../engine/limits.ts';
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';
import { AttemptsHarness } from '../../../test/support/attempts-harness.ts';
import { done, failed, settingsFor } from '../../../test/support/drive-attempts.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import { settle } from '../../testing/fakes/manual-clock.ts';

const MINUTE = 60_000;
const alone: Limit = { key: 'project:*', concurrencyMax: 1, countsRuns: true };
const limited = failed('rate_limited', { resetMs: 5 * MINUTE });

function oneAtATime(agents: readonly string[]): AttemptSettings {
  return settingsFor(agents, {}, { capacity: { ...PINNED_DEFAULTS.capacity, runsMax: 1 } });
}

/** The first attempt ends when the test says so, the others at once. */
class Stage extends AttemptsHarness {
  readonly agents: string[] = [];
  readonly #first = Promise.withResolvers<AttemptOutcome>();

  async begin(): Promise<this> {
    return this.open(
      async (agent) => {
        this.agents.push(agent);
        return this.agents.length === 1 ? this.#first.promise : done;
      },
      [alone],
    );
  }

  async endFirst(outcome: AttemptOutcome): Promise<void> {
    this.#first.resolve(outcome);
    await settle();
  }

  async states(...runs: readonly RunId[]): Promise<readonly string[]> {
    const views = await Promise.all(runs.map((run) => this.engine.get(run)));
    return views.map((view) => {
      const [open] = view?.open ?? [];
      return view?.outcome?.kind ?? open?.waitReason ?? open?.command ?? 'queued';
    });
  }
}

describe('a run that waited for a slot', () => {
  test('takes the next agent if its own has reached a limit meanwhile', async () => {
    await using stage = await new Stage().begin();
    const first = await stage.start(oneAtATime(['a']));
    const second = await stage.start(oneAtATime(['a', 'b']));
    assert.deepEqual(await stage.states(first, second), ['attempt', 'queued']);
    await stage.endFirst(limited);
    assert.deepEqual(stage.agents, ['a', 'b']);
    assert.deepEqual(await stage.states(first, second), ['cooldown', 'unverified']);
  });

  test('waits for the limit if there is no other agent, and begins after it', async () => {
    await using stage = await new Stage().begin();
    const first = await stage.start(oneAtATime(['a']));
    const second = await stage.start(oneAtATime(['a']));
    await stage.endFirst(limited);
    assert.deepEqual(await stage.states(first, second), ['cooldown', 'cooldown']);
    await stage.clock.advance(5 * MINUTE);
    await settle();
    assert.deepEqual(stage.agents, ['a', 'a', 'a']);
    assert.deepEqual(await stage.states(first, second), ['unverified', 'unverified']);
  });

  test('asks once, and keeps its place while it asks', async () => {
    await using stage = await new Stage().begin();
    await stage.start(oneAtATime(['a']));
    const second = await stage.start(oneAtATime(['a']));
    const third = await stage.start(oneAtATime(['b']));
    await stage.endFirst(done);
    const begun = (await stage.facts()).flatMap((fact) =>
      fact.type === 'command.begun' && fact.stream.endsWith(second) ? [fact.payload.key] : [],
    );
    assert.deepEqual(begun.slice(0, 3), [
      'check-availability-1',
      'check-availability-2',
      'attempt-1',
    ]);
    assert.deepEqual(stage.agents, ['a', 'a', 'b']);
    assert.deepEqual(await stage.states(second, third), ['unverified', 'unverified']);
  });

  test('asks again under the next owner', async () => {
    await using stage = await new Stage().begin();
    await stage.start(oneAtATime(['a']));
    const second = await stage.start(oneAtATime(['a']));
    const closed = stage.engine.close();
    await stage.endFirst(done);
    await closed;
    await stage.open(done, [alone]);
    await settle();
    const begun = (await stage.facts()).flatMap((fact) =>
      fact.type === 'command.begun' && fact.stream.endsWith(second) ? [fact.payload.key] : [],
    );
    assert.deepEqual(begun.slice(0, 3), [
      'check-availability-1',
      'check-availability-2',
      'attempt-1',
    ]);
  });
});

test('a run that waits for a limit of minutes holds no slot', async () => {
  await using stage = await new Stage().begin();
  const first = await stage.start(oneAtATime(['a']));
  const second = await stage.start(oneAtATime(['b']));
  await stage.endFirst(limited);
  assert.deepEqual(await stage.states(first, second), ['cooldown', 'unverified']);
});
