/** The conformance suite of the engine, with its journal in a real PostgreSQL. */
import { after, before, describe } from 'node:test';
import { seededRandom } from '../../base/random.ts';
import { PostgresJournal } from '../../store/postgres/postgres-journal.ts';
import { engineConformance } from '../../testing/conformance/engine-conformance.ts';
import type { EngineUnderTest } from '../../testing/conformance/engine-under-test.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { FakePerformer } from '../../testing/fakes/fake-performer.ts';
import { countsAsWork } from '../../testing/fakes/outside-work.ts';
import { fakeProgram } from '../../testing/fakes/fake-program.ts';
import {
  ownerFacts,
  PATIENT,
  PostgresCluster,
  skipWithoutPostgres,
} from '../../../test/support/postgres-cluster.ts';
import type { Limit } from '../limits.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

describe('the engine on PostgreSQL', { skip: skipWithoutPostgres }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  async function open(
    schema: string,
    clock: ManualClock,
    limits: readonly Limit[],
  ): Promise<EngineUnderTest> {
    const journal = countsAsWork(
      await PostgresJournal.open({
        address: cluster.address(schema),
        owner: ownerFacts(),
        waits: PATIENT,
      }),
    );
    const performer = new FakePerformer();
    const defects: unknown[] = [];
    let isDead = false;
    const engine = await EmbeddedEngine.open({
      journal,
      clock,
      random: seededRandom(await journal.lastId()),
      programs: [fakeProgram],
      performers: [performer],
      limits,
      // Late writes of a dead owner are refused, and those refusals are not reported.
      onDefect: (_run, error) => {
        if (!isDead) defects.push(error);
      },
      snapshotEvery: 3,
    });
    const end = async (): Promise<void> => {
      await engine.close();
      await journal.close();
    };
    return {
      engine,
      clock,
      performer,
      defects,
      fill: (full) => cluster.fill(schema, full),
      // The owner is cut off: the lock is free, and its epoch is over once the next owner has the lock.
      crash: async () => {
        isDead = true;
        await journal.close();
        const next = await open(schema, clock, limits);
        await engine.close();
        return next;
      },
      [Symbol.asyncDispose]: end,
    };
  }

  engineConformance('embedded, on PostgreSQL', (limits) =>
    open(cluster.newSchema(), new ManualClock(), limits),
  );
});
